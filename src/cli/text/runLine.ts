import { firstOfEach } from '../../core/firstOfEach.ts';
import { groupBy } from '../../core/groupBy.ts';
import { oneLine } from '../../core/text/oneLine.ts';
import { partitionText, withoutName } from '../../core/text/partitionText.ts';
import { printableLine } from '../../core/text/printable.ts';
import { countText, differText, plural } from '../../report/texts/numberText.ts';
import type { RunReport } from '../../run/records/runReport.ts';
import { hasFailed } from '../../transform/audits/runAudits.ts';

/** Characters of the reason at most: a line of a log is to stay one. */
const longestReason = 500;

/** A run as one line of a log: when it ended, what it was, its exit code, counts as `name=number`, and where it is not 0 the first reason. */
export function runLine(report: RunReport): string {
  const { command, exitCode, partitions, audits, heldBack, reconciliation, published, unresolved, stoppedBy, seconds } =
    report;
  const sum = (of: (one: RunReport['partitions'][number]) => number) =>
    partitions.reduce((total, one) => total + of(one), 0);
  const counts = {
    exit: exitCode,
    partitions: partitions.length,
    failed: partitions.filter(({ outcome }) => outcome === 'failed').length,
    rows: sum(({ rows }) => rows),
    child_rows: sum(({ childRows }) => childRows),
    quarantined: unresolved?.records ?? sum(({ quarantined }) => quarantined),
    requests: requestsOf(report),
    audits_failed: audits.filter(hasFailed).length,
    held_back: heldBack.length,
    ...(reconciliation && { differs: reconciliation.differs }),
    ...(published && { version: published.version }),
    ...(stoppedBy && { stopped_by: stoppedBy }),
    seconds: seconds.toFixed(1),
  };
  const [reason, ...more] = reasonsOf(report);
  const why =
    exitCode === 0 || reason === undefined
      ? []
      : [reasonText(reason), ...(more.length > 0 ? [`more=${more.length}`] : [])];
  return [
    new Date().toISOString(),
    'firn',
    command,
    ...Object.entries(counts).map(([name, count]) => `${name}=${count}`),
    ...why,
  ].join(' ');
}

/** HTTP requests of a run, of all its sources. */
export const requestsOf = ({ requests }: RunReport): number =>
  Object.values(requests).reduce((sum, stats) => sum + (stats?.requests ?? 0), 0);

/** A run that came to no report, because it could not begin or broke off, as one line of a log. */
export const brokenLine = (command: string, exitCode: number, reason: string): string =>
  [new Date().toISOString(), 'firn', command, `exit=${exitCode}`, reasonText(reason)].join(' ');

const reasonText = (reason: string) => `reason=${JSON.stringify(printableLine(oneLine(reason), longestReason))}`;

/** Partitions that a line names, one of each where many streams share it, and lines about each stream: it may have thousands of addresses. */
const partitionsNamed = 10;
const fewStreams = 3;
const linesOfStream = 10;

/** What to say about a partition, as one line. */
export const partitionLine = ({ stream, partition }: { stream: string; partition: string }, text: string): string =>
  lineOf(new Map([[stream, [partition]]]), text);

/** What to say about partitions of streams, as one line. */
function lineOf(streams: ReadonlyMap<string, readonly string[]>, text: string): string {
  const all = [...streams].flatMap(([stream, partitions]) => partitions.map((partition) => ({ stream, partition })));
  const most = streams.size > fewStreams ? 1 : partitionsNamed;
  const who = [...streams].map(([stream, partitions]) => {
    const more = partitions.length - most;
    const rest = more > 0 ? [`and ${countText(more)} more`] : [];
    return `${stream} (${[...partitions.slice(0, most), ...rest].join('; ')})`;
  });
  return printableLine(`${who.join(', ')}: ${withoutName(text, all)}`);
}

/** What there is to say of partitions, of each stream the first; those of which the same is said share a line. */
export function partitionLines(
  said: Iterable<{ readonly stream: string; readonly partition: string; readonly text: string }>,
): string[] {
  const all = [...groupBy(said, ({ text }) => text)].map(([text, own]) => {
    const streams = [...groupBy(own, ({ stream }) => stream)];
    return { text, streams: new Map(streams.map(([stream, of]) => [stream, of.map(({ partition }) => partition)])) };
  });
  const shown = [...firstOfEach(all, linesOfStream, ({ streams }) => [...streams.keys()])];
  const more = all.length - shown.length;
  return [
    ...shown.map(({ text, streams }) => lineOf(streams, text)),
    ...(more > 0 ? [`and ${countText(more)} more: --json names them all`] : []),
  ];
}

/** Why a run did not end with 0, a sentence each. */
export function reasonsOf(
  report: Pick<RunReport, 'problems' | 'partitions' | 'audits' | 'heldBack' | 'reconciliation' | 'unresolved'>,
): string[] {
  const { problems, partitions, audits, heldBack, reconciliation, unresolved } = report;
  const failed = partitions.filter(({ outcome }) => outcome === 'failed');
  const held = groupBy(heldBack, ({ audit }) => audit);
  const warned = audits.filter(({ name, failedRows }) => failedRows > 0 && !held.has(name)).map(({ name }) => name);
  return [
    ...problems.map(({ message }) => message),
    ...failed.map(partitionText),
    ...(unresolved?.records ? [`${plural(unresolved.records, 'record')} in quarantine.`] : []),
    ...[...held].map(
      ([audit, { length }]) => `${plural(length, 'relation is', 'relations are')} held back by ${audit}.`,
    ),
    ...(warned.length > 0 ? [`${plural(warned.length, 'audit')} failed: ${warned.join(', ')}.`] : []),
    ...(reconciliation?.differs ? [`${differText(reconciliation.differs)}.`] : []),
  ];
}
