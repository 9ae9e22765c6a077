import { didItsWork } from '../../core/exitCode.ts';
import { firstOfEach } from '../../core/firstOfEach.ts';
import { partitionName } from '../../core/partitionName.ts';
import { pipelineKinds } from '../../core/pipelineKinds.ts';
import { partitionText } from '../../core/text/partitionText.ts';
import type { RunRecord } from '../../load/bookkeeping/runRecords.ts';
import type { RunFacts, SourceUse } from '../reportData.ts';
import { reportedRuns } from '../reportedRuns.ts';
import * as queries from './queries.ts';
import type { RelationQuery } from './readRelations.ts';
import { count, numberOrNull, type ReportRow, text } from './rowValues.ts';

/** A run with what its summary says of each partition. */
export interface RunDetails extends RunFacts {
  readonly partitions: readonly PartitionOutcome[];
  /** Partitions that failed and are not among them, by stream: a file names so many and no more. */
  readonly unnamedFailures: Readonly<Record<string, number>>;
  readonly sources: readonly SourceUse[];
}

export interface PartitionOutcome {
  readonly stream: string;
  readonly partition: string;
  /** The pipeline that read it; null where that was not what is new of it, and of runs before 0.2. */
  readonly pipeline: string | null;
  readonly outcome: string;
  /** When its read ended. */
  readonly readAt: number;
  /** When it was last read to its end before, where this run did not come to it; null where that is not known. */
  readonly lastRead?: number | null;
  readonly message: string | null;
  /** The kind of failure (`ErrorCode`). */
  readonly code: string | null;
  readonly behind: number | null;
}

/** A run as a file beside the state tells it, including runs that the published state does not hold. */
export interface RunFile
  extends Pick<RunRecord, 'runId' | 'command' | 'startedAt' | 'finishedAt' | 'exitCode' | 'summary'> {
  /** Whether its process is there still. */
  readonly isGoing: boolean;
}

/** Of each pipeline this many, and this many that came to a result, are reported besides, however many others ended since. */
const ofPipeline = 2;

/**
 * The last runs, newest first, published or not, the last of each pipeline, of those with a result and of those without an end, and the last
 * that went well and that published. A run that was killed has no end.
 *
 * @param files what files tell of runs, newest first; of one that both tell, the file is right: the published copy was made before its end
 * @param now a run without a file that begins later was told by a clock that was wrong then: it comes after all others
 */
export async function readRuns(reader: RelationQuery, files: readonly RunFile[], now: number): Promise<RunDetails[]> {
  const rows = await reader.query<ReportRow>(queries.runsSql);
  // The copy of the state that readers see was made by the newest run in it that should have published.
  const publisher = rows.find((row) => row['exit_code'] !== null && publishes(text(row['command'])));
  const published = new Map(
    rows.map((row) => {
      const summary = parseSummary(row['summary']);
      const run = runOf(summary, {
        runId: text(row['run_id']),
        command: text(row['command']),
        startedAt: count(row['started_at']),
        finishedAt: numberOrNull(row['finished_at']),
        exitCode: numberOrNull(row['exit_code']),
      });
      return [run.runId, { ...run, isPublished: run.isPublished || row === publisher }];
    }),
  );
  const told = files.map(({ runId, command, startedAt, finishedAt, exitCode, summary, isGoing }) => {
    const times = { startedAt: Date.parse(startedAt), finishedAt: finishedAt === null ? null : Date.parse(finishedAt) };
    const run = { ...runOf(summary, { runId, command, ...times, exitCode }), isGoing };
    const { partitions = [] } = published.get(runId) ?? {};
    if (partitions.length <= run.partitions.length) return run;
    const named = new Set(run.partitions.map((one) => partitionName(one.stream, one.partition)));
    const unnamed = partitions.filter((outcome) => !named.has(partitionName(outcome.stream, outcome.partition)));
    return { ...run, partitions: [...run.partitions, ...unnamed], unnamedFailures: {} };
  });
  // No run began before those that files tell to be older, nor after this moment, whatever its clock said.
  const begins = new Map<string, number>();
  let latest = 0;
  for (const run of told.toReversed()) {
    latest = Math.max(latest, Math.min(begin(run), now));
    begins.set(run.runId, latest);
    published.delete(run.runId);
  }
  const beginOf = (run: RunDetails) => begins.get(run.runId) ?? begin(run);
  const isAhead = (run: RunDetails) => Number(beginOf(run) > now);
  const inOrder = [...told, ...published.values()].sort((a, b) => isAhead(a) - isAhead(b) || beginOf(b) - beginOf(a));
  const hasResult = ({ exitCode, isLockedOut }: RunDetails) => exitCode !== null && !isLockedOut;
  const last = firstOfEach(inOrder, ofPipeline, (run) =>
    pipelineKinds(run.isWhole ? run.pipelines : [], run.exitCode, hasResult(run)),
  );
  // However long ago: monitors ask for these.
  const good = [({ exitCode }: RunDetails) => exitCode === 0, ({ isPublished }: RunDetails) => isPublished].map((is) =>
    inOrder.find(is),
  );
  return inOrder.filter((run, place) => place < reportedRuns || last.has(run) || good.includes(run));
}

/** A run during which the clock was set back ended, by that, before it began. */
const begin = ({ startedAt, finishedAt }: RunDetails): number => Math.min(startedAt, finishedAt ?? startedAt);
const publishes = (command: string): boolean => command === 'run' || command.includes('publish');

type Told = Pick<RunFacts, 'runId' | 'command' | 'startedAt' | 'finishedAt' | 'exitCode'>;

function runOf(summary: ReportRow, told: Told): RunDetails {
  const partitions = list(summary['partitions']);
  const failed = partitions.filter(({ outcome }) => outcome === 'failed');
  const sources = Object.entries(members(summary['requests'])).map(([source, stats]) => {
    const use = members(stats);
    return {
      source,
      requests: count(use['requests']),
      retries: count(use['retries']),
      waitedMs: count(use['waitedMs']),
      bytes: count(use['bytes']),
      computeUnits: count(use['computeUnits']),
    };
  });
  return {
    ...told,
    // A file names so many partitions and no more; one of an earlier version has their sum only.
    rows: numberOrNull(summary['rows']) ?? sum(partitions, 'rows'),
    requests: sum(sources, 'requests'),
    problems: [
      ...list(summary['problems']).map(({ message }) => text(message)),
      ...failed.map((p) =>
        partitionText({ stream: text(p['stream']), partition: text(p['partition']), message: text(p['message']) }),
      ),
    ],
    phases: texts(summary['phases']),
    pipelines: texts(summary['pipelines']),
    isWhole: summary['isWhole'] === true,
    isEverything: summary['isEverything'] === true,
    // Runs of 0.1 do not say whether they published.
    isPublished:
      'published' in summary ? summary['published'] !== null : publishes(told.command) && didItsWork(told.exitCode),
    isLockedOut: list(summary['problems'])[0]?.['code'] === 'locked' && partitions.length === 0,
    isGoing: false,
    partitions: partitions.map((partition) => ({
      // Runs before do not say.
      readAt:
        typeof partition['endedAt'] === 'string'
          ? Date.parse(partition['endedAt'])
          : (told.finishedAt ?? told.startedAt),
      lastRead: typeof partition['lastRead'] === 'string' ? Date.parse(partition['lastRead']) : null,
      stream: text(partition['stream']),
      partition: text(partition['partition']),
      pipeline: partition['pipeline'] === undefined ? null : text(partition['pipeline']),
      outcome: text(partition['outcome']),
      message: partition['message'] === undefined ? null : text(partition['message']),
      code: partition['code'] === undefined ? null : text(partition['code']),
      behind: numberOrNull(partition['behind']),
    })),
    unnamedFailures: members(summary['unnamedFailures']) as Record<string, number>,
    sources,
  };
}

function parseSummary(value: unknown): ReportRow {
  try {
    return members(JSON.parse(text(value) || '{}'));
  } catch {
    return {};
  }
}

const members = (value: unknown): ReportRow =>
  value !== null && typeof value === 'object' ? (value as ReportRow) : {};
const list = (value: unknown): ReportRow[] => (Array.isArray(value) ? value.map(members) : []);
const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(text) : []);
const sum = (rows: readonly ReportRow[], name: string): number =>
  rows.reduce((total, row) => total + count(row[name]), 0);
