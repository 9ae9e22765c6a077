import type { RunReport } from '../run/runPhases.ts';
import { partitionLine } from './partitionLine.ts';
import { textTable } from './textTable.ts';

/** What a run did, for people. */
export function runSummary(report: RunReport): string {
  return [
    reads(report),
    stopped(report),
    audits(report),
    verdicts(report),
    dropped(report),
    published(report),
    problems(report),
    last(report),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function reads({ partitions, requests }: RunReport): string {
  const streams = new Map<
    string,
    { partitions: number; rows: number; requests: number; quarantined: number; states: Set<string> }
  >();
  for (const result of partitions) {
    const sum = streams.get(result.stream) ?? {
      partitions: 0,
      rows: 0,
      requests: 0,
      quarantined: 0,
      states: new Set<string>(),
    };
    sum.partitions++;
    sum.rows += result.rows;
    sum.requests += result.requests;
    sum.quarantined += result.quarantined;
    sum.states.add(result.outcome);
    streams.set(result.stream, sum);
  }
  const rows = [...streams].map(([stream, sum]): (string | number)[] => [
    stream,
    sum.partitions,
    sum.rows,
    sum.requests,
    sum.quarantined,
    [...sum.states].sort().join(', ').replaceAll('_', ' '),
  ]);
  const table = textTable(['stream', 'partitions', 'rows', 'requests', 'quarantined', 'state'], rows);
  const sent = Object.values(requests).reduce((sum, stats) => sum + (stats?.requests ?? 0), 0);
  const rest = sent - partitions.reduce((sum, result) => sum + result.requests, 0);
  return rest > 0
    ? `${table}\n\n${sent} HTTP requests in all, ${rest} of them for what the network and its chains are`
    : table;
}

function stopped({ stoppedBy }: RunReport): string {
  return stoppedBy === null
    ? ''
    : `Reading ended by ${stoppedBy}: what was read is committed, and the next run goes on.`;
}

function audits({ audits: results }: RunReport): string {
  if (results.length === 0) return '';
  const failed = results.filter(({ failedRows }) => failedRows > 0);
  const lines = failed.map(({ name, failedRows, example }) => `audit ${name}: ${failedRows} rows, such as ${example}`);
  return [`${results.length - failed.length} of ${results.length} audits hold`, ...lines].join('\n');
}

function verdicts({ reconciliation }: RunReport): string {
  if (!reconciliation) return '';
  return textTable(['verdict', 'buckets'], Object.entries(reconciliation.counts));
}

function dropped({ dropped: tables }: RunReport): string {
  const rows = tables.reduce((sum, { rows: own }) => sum + own, 0);
  return rows === 0 ? '' : `dropped ${rows} raw rows of ${tables.length} tables that are older than keep allows`;
}

function published({ published: result }: RunReport): string {
  return result ? `published version ${result.version}: ${result.readerDatabase}` : '';
}

/** What was not read and why, and what a reader should know of the rest. Partitions of which the same is true share a line. */
function problems({ partitions, problems: general }: RunReport): string {
  const said = new Map<string, { stream: string; text: string; partitions: string[] }>();
  const say = (stream: string, partition: string, text: string) => {
    const key = JSON.stringify([stream, text]);
    const same = said.get(key) ?? { stream, text, partitions: [] };
    said.set(key, { ...same, partitions: [...same.partitions, partition] });
  };
  for (const { stream, partition, outcome, message, notes } of partitions) {
    if (message !== undefined && (outcome === 'failed' || outcome === 'not_offered')) say(stream, partition, message);
    for (const note of notes ?? []) say(stream, partition, note);
  }
  const lines = [...said.values()].map(({ stream, text, partitions: of }) => partitionLine(stream, of, text));
  const quarantined = partitions.reduce((sum, { quarantined: own }) => sum + own, 0);
  if (quarantined > 0) {
    lines.push(
      `${quarantined} records could not be read and are in quarantine: "firn quarantine" lists them with the reasons.`,
    );
  }
  return [...lines, ...general.map(({ message }) => message)].join('\n');
}

function last({ exitCode, seconds, secondsByPhase }: RunReport): string {
  return `${Object.keys(secondsByPhase).join(', ')} in ${seconds.toFixed(1)} s, exit code ${exitCode}`;
}
