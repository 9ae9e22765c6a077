import { groupBy } from '../../core/groupBy.ts';
import { whatToDo } from '../../report/health/assessHealth.ts';
import { relationNames } from '../../report/health/heldBackText.ts';
import { moreGroups } from '../../report/texts/moreGroups.ts';
import { countText, differText, plural } from '../../report/texts/numberText.ts';
import { momentText } from '../../report/texts/timeText.ts';
import { nothing } from '../../run/phases/session.ts';
import type { RunReport } from '../../run/records/runReport.ts';
import { hasFailed } from '../../transform/audits/runAudits.ts';
import { partitionLine, partitionLines, requestsOf } from './runLine.ts';
import { textTable } from './textTable.ts';

/** What a run did, for people. */
export function runSummary(report: RunReport): string {
  return [
    reads(report),
    stopped(report),
    audits(report),
    held(report),
    verdicts(report),
    differing(report),
    dropped(report),
    published(report),
    quarantined(report),
    problems(report),
    last(report),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function reads(report: RunReport): string {
  const { partitions } = report;
  const none = { partitions: 0, rows: 0, childRows: 0, requests: 0, quarantined: 0, behind: 0 };
  const streams = new Map<string, typeof none & { states: Set<string> }>();
  for (const result of partitions) {
    const sum = streams.get(result.stream) ?? { ...none, states: new Set<string>() };
    sum.partitions++;
    sum.rows += result.rows;
    sum.childRows += result.childRows;
    sum.requests += result.requests;
    sum.quarantined += result.quarantined;
    sum.behind += result.behind ?? 0;
    sum.states.add(result.outcome);
    streams.set(result.stream, sum);
  }
  const rows = [...streams].map(([stream, sum]): (string | number)[] => [
    stream,
    sum.partitions,
    sum.rows,
    sum.childRows,
    sum.requests,
    sum.quarantined,
    [...[...sum.states].sort(), ...(sum.behind > 0 ? [`${countText(sum.behind)} behind`] : [])]
      .join(', ')
      .replaceAll('_', ' '),
  ]);
  const table = textTable(['stream', 'partitions', 'rows', 'child rows', 'requests', 'quarantined', 'state'], rows);
  const sent = requestsOf(report);
  const rest = sent - partitions.reduce((sum, result) => sum + result.requests, 0);
  return rest > 0
    ? `${table}\n\n${plural(sent, 'HTTP request')} in all, ${rest} of them to identify the network and its chains`
    : table;
}

function stopped({ stoppedBy, partitions }: RunReport): string {
  if (stoppedBy === null) return '';
  const hasCome = partitions.some(({ rows, outcome }) => rows > 0 || outcome === 'done');
  return hasCome
    ? `Reading ended by ${stoppedBy}: what was read is committed, and the next run goes on.`
    : `Reading ended by ${stoppedBy} before anything came of it. If this persists, allow more: ${stoppedBy} is less than the first partition needs.`;
}

function audits({ audits: results }: RunReport): string {
  if (results.length === 0) return '';
  const failed = results.filter(hasFailed);
  const lines = failed.flatMap(({ name, severity, failedRows, example }) =>
    // An audit that could not run is among the problems.
    failedRows > 0 ? [`audit ${name} (${severity}): ${plural(failedRows, 'row')}, such as ${example}`] : [],
  );
  return [`${results.length - failed.length} of ${results.length} audits hold`, ...lines].join('\n');
}

/** One line for each audit or model that holds something back. */
function held({ heldBack }: RunReport): string {
  const lines = [...groupBy(heldBack, ({ audit }) => audit)].map(
    ([cause, own]) =>
      `held back since ${own[0]?.since.slice(0, 19)} UTC by ${cause}: ${relationNames(own.map(({ relation }) => relation))}`,
  );
  return lines.join('\n');
}

function verdicts({ reconciliation }: RunReport): string {
  if (!reconciliation) return '';
  return textTable(['verdict', 'buckets'], Object.entries(reconciliation.counts));
}

function differing({ reconciliation }: RunReport): string {
  if (!reconciliation) return '';
  const { counts, differs } = reconciliation;
  const weeks = (counts.differs ?? 0) - differs;
  const told = [
    differs > 0 &&
      `${differText(differs)} from what is served: "firn status" gives the command that explains one, once this is published.`,
    weeks > 0 &&
      `${plural(weeks, 'week that differs fails', 'weeks that differ fail')} no run: served weeks are unreliable.`,
  ];
  return told.filter(Boolean).join('\n');
}

function dropped({ dropped: tables, waiting }: RunReport): string {
  const rows = tables.reduce((sum, { rows: own }) => sum + own, 0);
  const old = `dropped ${plural(rows, 'raw row')} older than keep allows from ${plural(tables.length, 'table')}`;
  const wait = `keep drops nothing of ${waiting.join(', ')} yet: blocks below others are still to be read. Where a backfill was interrupted, the same "firn backfill" goes on.`;
  return [...(rows > 0 ? [old] : []), ...(waiting.length > 0 ? [wait] : [])].join('\n');
}

const published = ({ published: result }: RunReport): string =>
  result ? `published version ${result.version}: ${result.readerDatabase}` : '';

/** What was not read and why, and what a reader should know of the rest. */
function problems({ partitions, problems: general }: RunReport): string {
  const said = partitions.flatMap(({ stream, partition, outcome, message, notes = [] }) =>
    [...(message !== undefined && (outcome === 'failed' || outcome === 'not_offered') ? [message] : []), ...notes].map(
      (text) => ({ stream, partition, text }),
    ),
  );
  // The reason is above, with the partitions.
  const others = general.map(({ message }) => (message.startsWith(nothing) ? nothing : message));
  return [...partitionLines(said), ...others].join('\n');
}

/** Groups of records in quarantine that are listed. */
const groupsListed = 5;

/** What is in quarantine, from this run or earlier ones: it is reported until it is read or accepted. */
function quarantined({ unresolved }: RunReport): string {
  if (!unresolved || unresolved.records === 0) return '';
  const { records, groups } = unresolved;
  const shown = groups.slice(0, groupsListed).map((group) => {
    const { reason, times, firstAt, lastAt } = group;
    const when = `first ${momentText(firstAt)}, last ${momentText(lastAt)} UTC, ${plural(times, 'time')} in all`;
    return `- ${partitionLine(group, `${plural(group.records, 'record')} (${when}): ${reason}`)}`;
  });
  const more = moreGroups(unresolved, shown.length);
  const head = `${plural(records, 'record')} could not be read and ${records === 1 ? 'is' : 'are'} in quarantine: ${whatToDo}`;
  return [head, ...shown, ...(more ? [`- and ${more}`] : [])].join('\n');
}

const last = ({ exitCode, seconds, secondsByPhase }: RunReport): string =>
  `${Object.keys(secondsByPhase).join(', ') || 'nothing done'} in ${seconds.toFixed(1)} s, exit code ${exitCode}`;
