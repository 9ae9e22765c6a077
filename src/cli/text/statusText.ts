import { networkText } from '../../core/stream/network.ts';
import { printableLine } from '../../core/text/printable.ts';
import type { Health } from '../../report/health/assessHealth.ts';
import { lastEnded, unpublishedText, unseenRows } from '../../report/health/lastRuns.ts';
import { streamHealth } from '../../report/health/streamHealth.ts';
import type { StatusData } from '../../report/reportData.ts';
import { cutTexts } from '../../report/texts/cutTexts.ts';
import { exitCodeText } from '../../report/texts/exitCodeText.ts';
import { moreGroups } from '../../report/texts/moreGroups.ts';
import { countText, plural } from '../../report/texts/numberText.ts';
import { agoText, momentText, spanText } from '../../report/texts/timeText.ts';
import { countGroups, groupWords } from '../../report/verdicts/seriesVerdicts.ts';
import { textTable } from './textTable.ts';

/** Sentences quote text from outside: each stays on one line, and is cut. */
const longestSentence = 2_000;

/** What is published, fresh and wrong, for people. */
export function statusText(data: StatusData, health: Health): string {
  return [head(data), chains(data), streams(data), aside(data), gaps(data), findings(health), running(data)]
    .filter((part) => part !== '')
    .join('\n\n');
}

function head(data: StatusData): string {
  const { network, published } = data;
  const verdicts = groupWords(countGroups(data.verdicts)).reverse();
  const last = lastEnded(data.runs);
  const unpublished = unpublishedText(data);
  const rows = unseenRows(data);
  return [
    published
      ? `${network ? networkText(network.name, network.id) : 'no network yet'}, version ${published.version} published ${ago(data, published.at)}`
      : !unpublished && 'nothing is published yet',
    rows > 0 &&
      `${plural(rows, 'row')} read${published ? ' since' : ''}, which readers see after "firn run", or "firn build", "firn reconcile" and "firn publish"`,
    last &&
      `last run: ${last.command}, exit code ${last.exitCode} (${exitCodeText(last.exitCode)}), ended ${ago(data, last.finishedAt ?? 0)}`,
    unpublished && `nothing was ${unpublished}`,
    data.workersHeardAt && `workers last read ${ago(data, data.workersHeardAt)}`,
    verdicts.length > 0 && `verdicts: ${verdicts.join(', ')}`,
  ]
    .filter(Boolean)
    .join('\n');
}

const ago = (data: StatusData, moment: number): string =>
  `${momentText(moment)} UTC (${agoText(data.generatedAt - moment)})`;

function chains({ chains: all }: StatusData): string {
  const rows = all
    .filter(({ newestTime }) => newestTime !== null)
    .map(({ chainId, name, newestBlock, newestTime }) => [
      name,
      chainId,
      newestBlock ?? '',
      momentText(newestTime ?? 0),
    ]);
  return textTable(['chain', 'id', 'newest block', 'its time (UTC)'], rows);
}

function streams({ streams: all, published }: StatusData): string {
  const rows = all.map((stream) => {
    const { word, failed, behind, notOffered } = streamHealth(stream);
    const counted = { failed: `${failed} failed`, 'not offered': `${notOffered} not offered` }[word as string];
    const state = counted ?? (behind > 0 ? `${countText(behind)} behind` : word);
    const time = (moment: number | null) => (moment === null ? '' : momentText(moment));
    return [
      stream.stream,
      state,
      published ? stream.rows : '',
      stream.quarantined,
      time(stream.newestRow),
      time(stream.lastRead),
    ];
  });
  return textTable(['stream', 'state', 'rows', 'quarantined', 'newest row (UTC)', 'read to the end (UTC)'], rows);
}

/** Groups of records in quarantine that are listed. */
const groupsListed = 10;

function aside({ unresolved }: StatusData): string {
  const { records, groups, accepted } = unresolved;
  if (records === 0) return accepted === 0 ? '' : `${plural(accepted, 'record')} in quarantine, all accepted.`;
  const rows = groups
    .slice(0, groupsListed)
    .map((group) => [
      group.stream,
      group.partition,
      group.records,
      group.times,
      momentText(group.firstAt),
      momentText(group.lastAt),
      cutTexts(group.reason, 80),
    ]);
  const more = moreGroups(unresolved, groupsListed);
  const header = ['quarantined from', 'partition', 'records', 'times', 'first (UTC)', 'last (UTC)', 'reason'];
  return `${textTable(header, rows)}${more ? `\nand ${more}` : ''}`;
}

/** Whoever allowed them knows; whoever reads the rows may not. */
const gaps = ({ streams: all }: StatusData): string =>
  all
    .filter(({ knownGaps }) => knownGaps > 0)
    .map(
      ({ stream, knownGaps }) =>
        `${stream} has ${plural(knownGaps, 'known gap')}, which "firn verify" lists: rows and metrics lack what was there.`,
    )
    .join('\n');

function findings(health: Health): string {
  if (health.findings.length === 0) return 'Nothing needs attention.';
  return [
    'Needs attention:',
    ...health.findings.map(({ kind, sentence }) => `- ${kind}: ${printableLine(sentence, longestSentence)}`),
  ].join('\n');
}

function running({ running: run, generatedAt, workersHeardAt }: StatusData): string {
  // Of a cluster, other machines may be at work.
  if (!run) return workersHeardAt === undefined ? 'Nothing is running.' : '';
  const began = run.startedAt ?? run.since;
  const time = Date.parse(began);
  const since = Number.isNaN(time) ? began : `${momentText(time)} UTC, ${spanText(generatedAt - time)} so far`;
  const where = run.host === undefined ? '' : ` on ${run.host}`;
  const head = `${run.command} is running (process ${run.pid}${where}, ${run.phase}, since ${since}).`;
  return [head, ...(run.phase === 'sync' ? progress(run) : [])].join('\n');
}

function progress({ partitions, rows = 0, reading = [] }: NonNullable<StatusData['running']>): string[] {
  const all = partitions
    ? [`${partitions.done} of ${plural(partitions.total, 'partition')} read, ${plural(rows, 'row')}.`]
    : [];
  const each = reading.map(({ stream, partition, done, total, remainingMs }) => {
    const share = total ? ` of ${countText(total)} (${Math.floor((done / total) * 100)} %)` : ' so far';
    const left = remainingMs === null ? '' : `, about ${spanText(remainingMs)} still`;
    return `- ${stream} (${partition}): ${countText(done)}${share}${left}`;
  });
  return [...all, ...each];
}

/** The last runs, for people. */
export function runsText({ runs }: StatusData): string {
  const rows = runs.map(({ command, startedAt, finishedAt, exitCode, requests, rows: read, problems, isGoing }) => [
    momentText(startedAt),
    command,
    exitCode === null ? 'none' : String(exitCode),
    finishedAt === null ? '' : spanText(finishedAt - startedAt),
    requests,
    read,
    isGoing ? 'goes on' : (problems[0] ?? exitCodeText(exitCode)),
  ]);
  return (
    textTable(['began (UTC)', 'command', 'exit code', 'took', 'requests', 'rows', 'what was'], rows) || 'No run yet.'
  );
}
