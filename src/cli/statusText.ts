import type { Health } from '../report/assessHealth.ts';
import { exitCodeText } from '../report/exitCodeText.ts';
import { countText } from '../report/numberText.ts';
import type { StatusData } from '../report/reportData.ts';
import { countGroups } from '../report/seriesVerdicts.ts';
import { streamHealth } from '../report/streamHealth.ts';
import { momentText, spanText } from '../report/timeText.ts';
import { groupFacts, verdictGroups } from '../report/verdictFacts.ts';
import { textTable } from './textTable.ts';

/** What is published, fresh and wrong, for people. */
export function statusText(data: StatusData, health: Health): string {
  return [head(data), chains(data), streams(data), findings(health), running(data)]
    .filter((part) => part !== '')
    .join('\n\n');
}

function head(data: StatusData): string {
  const { network, published } = data;
  const counts = countGroups(data.verdicts);
  const verdicts = [...verdictGroups]
    .reverse()
    .filter((group) => counts[group] > 0)
    .map((group) => `${countText(counts[group])} ${groupFacts[group].word}`);
  const last = data.runs.find(({ finishedAt }) => finishedAt !== null);
  return [
    `${network?.name ?? 'no network yet'}${network?.id == null ? '' : ` (network ${network.id})`}${published ? `, version ${published.version} published ${ago(data, published.at)}` : ''}`,
    last &&
      `last run: ${last.command}, exit code ${last.exitCode} (${exitCodeText(last.exitCode)}), ended ${ago(data, last.finishedAt ?? 0)}`,
    verdicts.length > 0 && `verdicts: ${verdicts.join(', ')}`,
  ]
    .filter(Boolean)
    .join('\n');
}

const ago = (data: StatusData, moment: number): string =>
  `${momentText(moment)} UTC (${spanText(data.generatedAt - moment)} ago)`;

function chains({ chains: all }: StatusData): string {
  const rows = all
    .filter(({ newestTime }) => newestTime !== null)
    .map(({ chainId, name, newestBlock, newestTime }) => [
      name,
      chainId,
      newestBlock ?? 0,
      momentText(newestTime ?? 0),
    ]);
  return textTable(['chain', 'id', 'newest block', 'its time (UTC)'], rows);
}

function streams({ streams: all }: StatusData): string {
  const rows = all.map((stream) => {
    const { word, failed, behind } = streamHealth(stream);
    const state = word === 'failed' ? `${failed} failed` : behind > 0 ? `${countText(behind)} behind` : word;
    const time = (moment: number | null) => (moment === null ? '' : momentText(moment));
    return [stream.stream, state, stream.rows, stream.quarantined, time(stream.newestRow), time(stream.lastRead)];
  });
  return textTable(['stream', 'state', 'rows', 'set aside', 'newest row (UTC)', 'read to the end (UTC)'], rows);
}

function findings(health: Health): string {
  if (health.findings.length === 0) return 'Nothing needs a look.';
  return ['To look at:', ...health.findings.map(({ kind, sentence }) => `- ${kind}: ${sentence}`)].join('\n');
}

function running({ running: run }: StatusData): string {
  return run
    ? `${run.command} is running (process ${run.pid}, ${run.phase}, since ${run.since}).`
    : 'Nothing is running.';
}

/** The last runs, for people. */
export function runsText({ runs }: StatusData): string {
  const rows = runs.map(({ command, startedAt, finishedAt, exitCode, requests, rows: read, problems }) => [
    momentText(startedAt),
    command,
    exitCode === null ? 'none' : String(exitCode),
    finishedAt === null ? '' : spanText(finishedAt - startedAt),
    requests,
    read,
    problems[0] ?? exitCodeText(exitCode),
  ]);
  return (
    textTable(['began (UTC)', 'command', 'exit code', 'took', 'requests', 'rows', 'what was'], rows) || 'No run yet.'
  );
}
