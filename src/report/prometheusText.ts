import type { QuarantineGroup } from '../core/unresolved.ts';
import { assessHealth } from './assessHealth.ts';
import { heldBackBy } from './heldBackText.ts';
import { lastRunOf, unpublishedRuns } from './lastRuns.ts';
import type { StatusData } from './reportData.ts';
import { streamHealth } from './streamHealth.ts';

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [Labels, number | null];

/** What is published as Prometheus text (format 0.0.4). Times are Unix seconds, so that ages are the monitor's to take. */
export function prometheusText(data: StatusData): string {
  const ended = data.runs.find(({ finishedAt }) => finishedAt !== null);
  const { running, unresolved } = data;
  const good = data.runs.find(({ exitCode }) => exitCode === 0);
  const families: string[] = [];
  const gauge = (name: string, help: string, samples: readonly Sample[]) => {
    const lines = samples.flatMap(([labels, value]) =>
      value === null ? [] : [`firn_${name}${labelText(labels)} ${value}`],
    );
    if (lines.length > 0)
      families.push(`# HELP firn_${name} ${help}\n# TYPE firn_${name} gauge\n${lines.join('\n')}\n`);
  };
  const seconds = (milliseconds: number | null | undefined) => (milliseconds == null ? null : milliseconds / 1000);

  gauge('info', 'Always 1; the version of firn and the network in the labels.', [
    [{ version: data.firnVersion, network: data.network?.name ?? '' }, 1],
  ]);
  gauge('published_version', 'Version that readers see.', [[{}, data.published?.version ?? null]]);
  gauge('published_timestamp_seconds', 'When that version was published.', [[{}, seconds(data.published?.at)]]);
  gauge('published_rows', 'Rows in the files of that version.', [[{}, data.published?.rows ?? null]]);
  gauge('published_bytes', 'Bytes of the files of that version.', [[{}, data.published?.bytes ?? null]]);
  gauge('health_exit_code', 'What firn status --check would end with; 0 where nothing needs a look.', [
    [{}, assessHealth(data).exitCode],
  ]);
  gauge('last_published_timestamp_seconds', 'When a run last published, a new version or the same.', [
    [{}, seconds(data.lastPublishedAt)],
  ]);
  gauge('unpublished_runs', 'Runs since then that were to publish and did not.', [[{}, unpublishedRuns(data).length]]);
  gauge('held_back', '1 for each relation that readers see as it was before.', [
    ...unresolved.heldBack.map(({ relation, audit }): Sample => [{ relation, audit }, 1]),
  ]);
  gauge('running', '1 while a run is under way.', [[{}, running ? 1 : 0]]);
  gauge('running_since_timestamp_seconds', 'When it began, and what it is.', [
    [
      {
        command: running?.command ?? '',
        phase: running?.phase ?? '',
        host: running?.host ?? '',
        pid: String(running?.pid),
      },
      running ? seconds(Date.parse(running.startedAt ?? running.since)) : null,
    ],
  ]);
  gauge('running_partitions', 'Partitions of it by state.', [
    [{ state: 'read' }, running?.partitions?.done ?? null],
    [{ state: 'all' }, running?.partitions?.total ?? null],
  ]);
  gauge('running_remaining_seconds', 'How long a partition will take by its pace so far.', [
    ...(running?.reading ?? []).map(
      ({ stream, partition, remainingMs }): Sample => [{ stream, partition }, seconds(remainingMs)],
    ),
  ]);
  gauge('last_run_exit_code', 'Exit code of the last run that ended.', [[{}, ended?.exitCode ?? null]]);
  gauge('last_run_end_timestamp_seconds', 'When the last run ended.', [[{}, seconds(ended?.finishedAt)]]);
  gauge('last_run_duration_seconds', 'How long it took.', [
    [{}, ended?.finishedAt ? (ended.finishedAt - ended.startedAt) / 1000 : null],
  ]);
  gauge('last_success_timestamp_seconds', 'When the last run with exit code 0 ended.', [
    [{}, seconds(good?.finishedAt)],
  ]);
  gauge(
    'pipeline_last_run_exit_code',
    'Exit code of the last run of a pipeline that came to a result.',
    data.pipelines.map((pipeline) => [{ pipeline }, lastRunOf(data, pipeline)?.exitCode ?? null]),
  );
  const chain = ({ chainId, name }: StatusData['chains'][number]) => ({ chain_id: chainId, chain: name });
  gauge(
    'chain_newest_block',
    'Newest block held.',
    data.chains.map((facts) => [chain(facts), facts.newestBlock]),
  );
  gauge(
    'chain_newest_block_timestamp_seconds',
    'Time of the newest block held.',
    data.chains.map((facts) => [chain(facts), seconds(facts.newestTime)]),
  );
  const streams = (value: (stream: StatusData['streams'][number]) => number | null): Sample[] =>
    data.streams.map((stream) => [{ stream: stream.stream }, value(stream)]);
  gauge(
    'stream_rows',
    'Rows of the stream.',
    streams(({ rows }) => rows),
  );
  gauge(
    'stream_quarantined',
    'Records in quarantine, neither read since nor accepted.',
    streams(({ quarantined }) => quarantined),
  );
  const groups = (value: (group: QuarantineGroup) => number | null): Sample[] =>
    unresolved.groups.map((group) => {
      const { stream, partition, reason } = group;
      return [{ stream, partition, reason: reason.slice(0, longestReason) }, value(group)];
    });
  gauge(
    'quarantine_records',
    'Records in quarantine for one reason: see firn quarantine; replay or accept them.',
    groups(({ records }) => records),
  );
  gauge(
    'quarantine_first_seen_timestamp_seconds',
    'When the first of them came first.',
    groups(({ firstAt }) => seconds(firstAt)),
  );
  gauge(
    'quarantine_last_seen_timestamp_seconds',
    'When the last of them came last.',
    groups(({ lastAt }) => seconds(lastAt)),
  );
  gauge('quarantine_accepted_records', 'Records in quarantine that somebody accepted.', [[{}, unresolved.accepted]]);
  gauge(
    'stream_failed_partitions',
    'Partitions that failed when last read.',
    streams((stream) => streamHealth(stream).failed),
  );
  gauge(
    'stream_behind',
    "Positions up to the source's head as last seen.",
    streams((stream) => streamHealth(stream).behind),
  );
  gauge(
    'stream_last_read_timestamp_seconds',
    "When all of it had been read to the source's end.",
    streams(({ lastRead }) => seconds(lastRead)),
  );
  gauge(
    'stream_last_load_timestamp_seconds',
    'When rows were last committed.',
    streams(({ lastLoad }) => seconds(lastLoad)),
  );
  gauge(
    'stream_newest_row_timestamp_seconds',
    "Time of the newest row, by the source's own clock.",
    streams(({ newestRow }) => seconds(newestRow)),
  );
  gauge(
    'reconciled_buckets',
    'Buckets by verdict.',
    sumByVerdict(data).map(([labels, buckets]) => [labels, buckets]),
  );
  gauge(
    'audit_failed_rows',
    'Rows that an audit found when it last ran.',
    data.audits.map(({ name, failedRows }) => [{ audit: name }, failedRows]),
  );
  gauge('held_back_relations', 'Relations that readers see in their last good version, or not at all.', [
    [{}, new Set(unresolved.heldBack.map(({ relation }) => relation)).size],
  ]);
  gauge(
    'held_back_since_timestamp_seconds',
    'Since when an audit, or a model that cannot be built, holds relations back.',
    heldBackBy(unresolved).map(({ audit, since }) => [{ audit }, since / 1000]),
  );
  const today = data.quota[0]?.day;
  gauge(
    'quota_used_units',
    'Compute units used on the newest day that any were.',
    data.quota.filter(({ day }) => day === today).map(({ source, units }) => [{ source }, units]),
  );
  gauge(
    'quota_daily_units',
    'Compute units per day that the configuration allows.',
    Object.entries(data.dailyQuota).map(([source, units]) => [{ source }, units]),
  );
  return families.join('');
}

/** A label is no place for a page of text. */
const longestReason = 160;

/** Variants and factors of one verdict come together: a label for each would make a new series whenever one is found. */
function sumByVerdict({ verdicts }: StatusData): [Labels, number][] {
  const sums = new Map<string, [Labels, number]>();
  for (const { chainId, metric, interval, verdict, buckets } of verdicts) {
    const labels = { chain_id: chainId, metric, interval, verdict };
    const key = JSON.stringify(labels);
    sums.set(key, [labels, (sums.get(key)?.[1] ?? 0) + buckets]);
  }
  return [...sums.values()];
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

const escapeLabel = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
