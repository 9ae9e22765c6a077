import type { QuarantineGroup } from '../../core/unresolved.ts';
import type { StatusData, StreamState } from '../reportData.ts';
import { reportedRuns } from '../reportedRuns.ts';
import type { Health } from './assessHealth.ts';
import { heldBackBy } from './heldBackText.ts';
import { lastEnded, lastRunOf, unpublishedRuns } from './lastRuns.ts';
import { streamHealth } from './streamHealth.ts';

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [Labels, number | null];

/** A gauge: its name without `firn_`, what it says, and its samples; one without labels as its value. */
type Gauge = readonly [name: string, help: string, samples: number | null | readonly Sample[]];

/** What is published, as Prometheus text (format 0.0.4). Times are Unix seconds, from which a monitor computes ages. */
export function prometheusText(data: StatusData, { exitCode }: Pick<Health, 'exitCode'>): string {
  const gauges: readonly Gauge[] = [
    ...publishedGauges(data),
    healthGauge(exitCode),
    ...runningGauges(data),
    ...lastRunGauges(data),
    ...chainGauges(data),
    ...quarantineGauges(data),
    ...streamGauges(data),
    ...trustGauges(data),
  ];
  return gauges.map(gaugeText).join('');
}

const healthGauge = (exitCode: number): Gauge => [
  'health_exit_code',
  'What firn status --check would end with; 0 where nothing needs a look.',
  exitCode,
];

/** All that can be said where the state could not be read: what came of that. */
export const unreadText = (exitCode: number): string => gaugeText(healthGauge(exitCode));

/** A gauge without a value is left out. */
function gaugeText([name, help, samples]: Gauge): string {
  const all: readonly Sample[] = typeof samples === 'object' && samples ? samples : [[{}, samples]];
  const lines = all.flatMap(([labels, value]) => (value === null ? [] : [`firn_${name}${labelText(labels)} ${value}`]));
  return lines.length === 0 ? '' : `# HELP firn_${name} ${help}\n# TYPE firn_${name} gauge\n${lines.join('\n')}\n`;
}

const seconds = (milliseconds: number | null | undefined) => (milliseconds == null ? null : milliseconds / 1000);

/** What readers see. */
function publishedGauges(data: StatusData): Gauge[] {
  const { unresolved } = data;
  return [
    [
      'info',
      'Always 1; in the labels the version of firn, and the network: what the services call it, and the id that its node tells.',
      [
        [
          { version: data.firnVersion, network: data.network?.name ?? '', network_id: String(data.network?.id ?? '') },
          1,
        ],
      ],
    ],
    ['published_version', 'Version that readers see.', data.published?.version ?? null],
    ['published_timestamp_seconds', 'When that version was published.', seconds(data.published?.at)],
    ['published_rows', 'Rows of that version.', data.published?.rows ?? null],
    // A cluster's are in its lake, and not counted.
    ['published_bytes', 'Bytes of the files of that version.', data.published?.bytes || null],
    [
      'last_published_timestamp_seconds',
      'When a run last published, a new version or the same.',
      seconds(data.lastPublishedAt),
    ],
    ['workers_read_timestamp_seconds', 'When a worker of a cluster last read anything.', seconds(data.workersHeardAt)],
    [
      'unpublished_runs',
      `Runs since then that should have published and did not, of the newest ${reportedRuns}.`,
      unpublishedRuns(data).length,
    ],
    [
      'held_back',
      '1 for each relation that readers see as it was before.',
      unresolved.heldBack.map(({ relation, audit }) => [{ relation, audit }, 1]),
    ],
  ];
}

/** The run under way. */
function runningGauges({ running }: StatusData): Gauge[] {
  return [
    ['running', '1 while a run is under way.', running ? 1 : 0],
    [
      'running_since_timestamp_seconds',
      'When it began, and what it is.',
      [
        [
          {
            command: running?.command ?? '',
            phase: running?.phase ?? '',
            host: running?.host ?? '',
            pid: String(running?.pid),
          },
          running ? seconds(Date.parse(running.startedAt ?? running.since)) : null,
        ],
      ],
    ],
    [
      'running_partitions',
      'Partitions of it by state.',
      [
        [{ state: 'read' }, running?.partitions?.done ?? null],
        [{ state: 'all' }, running?.partitions?.total ?? null],
      ],
    ],
    [
      'running_remaining_seconds',
      'How long a partition will take by its pace so far.',
      (running?.reading ?? []).map(({ stream, partition, remainingMs }) => [
        { stream, partition },
        seconds(remainingMs),
      ]),
    ],
  ];
}

/** The runs that ended. */
function lastRunGauges(data: StatusData): Gauge[] {
  const ended = lastEnded(data.runs);
  const good = data.runs.find(({ exitCode }) => exitCode === 0);
  return [
    ['last_run_exit_code', 'Exit code of the last run that ended.', ended?.exitCode ?? null],
    ['last_run_end_timestamp_seconds', 'When the last run ended.', seconds(ended?.finishedAt)],
    [
      'last_run_duration_seconds',
      'How long it took.',
      ended?.finishedAt ? (ended.finishedAt - ended.startedAt) / 1000 : null,
    ],
    ['last_success_timestamp_seconds', 'When the last run with exit code 0 ended.', seconds(good?.finishedAt)],
    [
      'pipeline_last_run_exit_code',
      'Exit code of the last run of a pipeline that came to a result.',
      data.pipelines.map((pipeline) => [{ pipeline }, lastRunOf(data, pipeline)?.exitCode ?? null]),
    ],
  ];
}

/** How far each chain has been read. */
function chainGauges(data: StatusData): Gauge[] {
  const chain = ({ chainId, name }: StatusData['chains'][number]) => ({ chain_id: chainId, chain: name });
  return [
    ['chain_newest_block', 'Newest block held.', data.chains.map((facts) => [chain(facts), facts.newestBlock])],
    [
      'chain_newest_block_timestamp_seconds',
      'Time of the newest block held.',
      data.chains.map((facts) => [chain(facts), seconds(facts.newestTime)]),
    ],
  ];
}

/** What is in quarantine. */
function quarantineGauges({ unresolved }: StatusData): Gauge[] {
  const groups = (value: (group: QuarantineGroup) => number | null): Sample[] =>
    shortGroups(unresolved).map((group) => {
      const { stream, partition, reason } = group;
      return [{ stream, partition, reason }, value(group)];
    });
  return [
    [
      'quarantine_records',
      'Records in quarantine for one reason: see firn quarantine; replay or accept them.',
      groups(({ records }) => records),
    ],
    [
      'quarantine_first_seen_timestamp_seconds',
      'When the first of them was first seen.',
      groups(({ firstAt }) => seconds(firstAt)),
    ],
    [
      'quarantine_last_seen_timestamp_seconds',
      'When one of them was last seen.',
      groups(({ lastAt }) => seconds(lastAt)),
    ],
    ['quarantine_accepted_records', 'Records in quarantine that somebody accepted.', unresolved.accepted],
  ];
}

/** How far each stream has been read. */
function streamGauges(data: StatusData): Gauge[] {
  const streams = (value: (stream: StreamState) => number | null): Sample[] =>
    data.streams.map((stream) => [{ stream: stream.stream }, value(stream)]);
  return [
    ['stream_rows', 'Rows of the stream.', streams(({ rows }) => rows)],
    [
      'stream_quarantined',
      'Records in quarantine, neither read since nor accepted.',
      streams(({ quarantined }) => quarantined),
    ],
    [
      'stream_known_gaps',
      'Stretches of positions that are known to be missing: the source lacks them, or their records were accepted.',
      streams(({ knownGaps }) => knownGaps),
    ],
    [
      'stream_failed_partitions',
      'Partitions that failed when last read.',
      streams((stream) => streamHealth(stream).failed),
    ],
    [
      'stream_behind',
      "Positions up to the source's head as last seen; keys that a lookup's budget left.",
      streams((stream) => streamHealth(stream).behind),
    ],
    [
      'stream_last_read_timestamp_seconds',
      "When all of it had been read to the source's end.",
      streams(({ lastRead }) => seconds(lastRead)),
    ],
    [
      'stream_last_load_timestamp_seconds',
      'When rows were last committed.',
      streams(({ lastLoad }) => seconds(lastLoad)),
    ],
    [
      'stream_newest_row_timestamp_seconds',
      "Time of the newest row, by the source's own clock.",
      streams(({ newestRow }) => seconds(newestRow)),
    ],
  ];
}

/** What was compared, what is held back, and what quotas are left. */
function trustGauges(data: StatusData): Gauge[] {
  const { unresolved } = data;
  const today = data.quota[0]?.day;
  return [
    ['reconciled_buckets', 'Buckets by verdict.', sumByVerdict(data)],
    [
      'audit_failed_rows',
      'Rows that an audit found when it last ran.',
      data.audits.map(({ name, failedRows, couldNotLook }) => [{ audit: name }, couldNotLook ? null : failedRows]),
    ],
    [
      'audit_could_not_look',
      '1 for each audit whose query failed when it last ran: what it would find is not known.',
      data.audits.map(({ name, couldNotLook }) => [{ audit: name }, couldNotLook ? 1 : null]),
    ],
    [
      'held_back_relations',
      'Relations that readers see in their last good version, or not at all.',
      new Set(unresolved.heldBack.map(({ relation }) => relation)).size,
    ],
    [
      'held_back_since_timestamp_seconds',
      'Since when an audit, or a model that cannot be built, holds relations back.',
      heldBackBy(unresolved).map(({ audit, since }) => [{ audit }, since / 1000]),
    ],
    [
      'quota_used_units',
      'Compute units used on the newest day on which any were used.',
      data.quota.filter(({ day }) => day === today).map(({ source, units }) => [{ source }, units]),
    ],
    [
      'quota_daily_units',
      'Compute units per day that the configuration allows.',
      Object.entries(data.dailyQuota).map(([source, units]) => [{ source }, units]),
    ],
  ];
}

/** A label is no place for a page of text. */
const longestReason = 160;

/** Groups by what a label shows of their reason: of two samples with the same labels, a collector would refuse the whole file. */
function shortGroups({ groups }: StatusData['unresolved']): QuarantineGroup[] {
  const merged = new Map<string, QuarantineGroup>();
  for (const group of groups) {
    const reason = group.reason.slice(0, longestReason);
    const key = JSON.stringify([group.stream, group.partition, reason]);
    const known = merged.get(key);
    merged.set(key, {
      ...group,
      reason,
      records: group.records + (known?.records ?? 0),
      firstAt: Math.min(group.firstAt, known?.firstAt ?? group.firstAt),
      lastAt: Math.max(group.lastAt, known?.lastAt ?? group.lastAt),
    });
  }
  return [...merged.values()];
}

/** Variants and factors of one verdict are summed: a label for each would make a new series whenever one is found. */
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
