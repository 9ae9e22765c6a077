import { readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { firstOfEach } from '../../core/firstOfEach.ts';
import { groupBy } from '../../core/groupBy.ts';
import { isReadToEnd } from '../../core/isReadToEnd.ts';
import { partitionName } from '../../core/partitionName.ts';
import { replaceFile } from '../../disk/durable.ts';
import { type Clock, systemClock } from '../../extract/clock.ts';
import { lastReads, type RunRecord, touchRunRecord, writeRunRecord } from '../../load/bookkeeping/runRecords.ts';
import { silentMs } from '../../load/state/holdWarehouse.ts';
import { isAlive, ownProcess, type ProcessFacts, processFactsSchema } from '../../load/state/processFacts.ts';
import type { SyncListener } from '../read/syncOptions.ts';
import type { RunReport } from './runReport.ts';

const readingSchema = z.object({
  stream: z.string(),
  partition: z.string(),
  /** Positions or records read since this run began with it. */
  done: z.number(),
  /** Null where the source does not say how much there is. */
  total: z.number().nullable(),
  /** By the pace so far. */
  remainingMs: z.number().nullable(),
});

const runStateSchema = processFactsSchema.extend({
  runId: z.string(),
  command: z.string(),
  phase: z.string(),
  /** When this phase began. */
  since: z.string(),
  startedAt: z.string().optional(),
  /** When this was written: a run writes it every few seconds. */
  updatedAt: z.string().optional(),
  /** Partitions that were read, and how many there are. */
  partitions: z.object({ done: z.number(), total: z.number() }).optional(),
  rows: z.number().optional(),
  /** Partitions that are being read. */
  reading: z.array(readingSchema).optional(),
});

/** What a run tells beside the locked database, in `.state/run.json`: for `status` and `report`. */
export type RunState = z.infer<typeof runStateSchema>;

/** Keeps `.state/run.json` while a run holds the warehouse. It never fails a run: the worst is that `status` knows less. */
export interface RunStateWriter {
  phase(name: string): Promise<void>;
  readonly listener: SyncListener;
  /** Says that this process is done. */
  close(): Promise<void>;
}

const fileOf = (warehouse: string) => join(warehouse, '.state', 'run.json');

/** The shortest and the longest time between two writes. */
const pauseMs = 1000;
const heartbeatMs = 10_000;

/** How far a run is. */
interface Progress {
  readonly partitions: { done: number; total: number };
  rows: number;
  readonly reading: Map<string, z.infer<typeof readingSchema> & { readonly startedMs: number }>;
}

/** Begins to record what this process is doing with a warehouse. */
export async function openRunState(
  warehouse: string,
  run: Pick<RunState, 'runId' | 'command' | 'startedAt'>,
): Promise<RunStateWriter> {
  await removeLeft(warehouse);
  const own = await ownProcess();
  const progress: Progress = { partitions: { done: 0, total: 0 }, rows: 0, reading: new Map() };
  let phase = '';
  let since = '';
  let writtenAt = 0;
  let writing: Promise<void> = Promise.resolve();
  let due: NodeJS.Timeout | undefined;

  const write = () => {
    clearTimeout(due);
    due = undefined;
    writtenAt = performance.now();
    const { partitions, rows, reading } = progress;
    const state: RunState = {
      ...run,
      ...own,
      phase,
      since,
      updatedAt: new Date().toISOString(),
      partitions,
      rows,
      reading: [...reading.values()].map(({ startedMs, ...told }) => told),
    };
    const file = fileOf(warehouse);
    const options = { mode: 0o600, staged: `${file}.${process.pid}`, synced: false };
    writing = writing.then(() => replaceFile(file, `${JSON.stringify(state)}\n`, options)).catch(() => {});
    return writing;
  };
  const changed = () => {
    due ??= setTimeout(write, Math.max(0, writtenAt + pauseMs - performance.now())).unref();
  };
  const heartbeat = setInterval(write, heartbeatMs).unref();

  return {
    async phase(name) {
      phase = name;
      since = new Date().toISOString();
      await write();
    },
    listener: countProgress(progress, changed),
    async close() {
      clearInterval(heartbeat);
      clearTimeout(due);
      await writing;
      await rm(fileOf(warehouse), { force: true }).catch(() => {});
    },
  };
}

/** Removes what runs that were killed while they wrote have left. */
async function removeLeft(warehouse: string): Promise<void> {
  const folder = dirname(fileOf(warehouse));
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => /^run\.json\.\d+$/.test(one)))
    await rm(join(folder, name), { force: true }).catch(() => {});
}

/** Counts what a run hears while it reads. */
function countProgress(progress: Progress, changed: () => void): SyncListener {
  const { partitions, reading } = progress;
  return {
    planned() {
      partitions.total++;
    },
    started(stream, partition) {
      const startedMs = performance.now();
      reading.set(partitionName(stream, partition), {
        stream,
        partition,
        done: 0,
        total: null,
        remainingMs: null,
        startedMs,
      });
      changed();
    },
    progress(stream, partition, done, total) {
      const key = partitionName(stream, partition);
      const startedMs = reading.get(key)?.startedMs ?? performance.now();
      const remainingMs =
        total === null || done === 0
          ? null
          : Math.round(((performance.now() - startedMs) / done) * Math.max(0, total - done));
      reading.set(key, { stream, partition, done, total, remainingMs, startedMs });
      changed();
    },
    finished({ stream, partition, rows }) {
      reading.delete(partitionName(stream, partition));
      partitions.done++;
      partitions.total = Math.max(partitions.total, partitions.done);
      progress.rows += rows;
      changed();
    },
  };
}

/** The run under way, or null; one whose process is gone does not count, nor does a file that is no such state. */
export async function readRunState(warehouse: string): Promise<RunState | null> {
  try {
    const state = runStateSchema.parse(JSON.parse(await readFile(fileOf(warehouse), 'utf8')));
    return (await isThere(state, Date.parse(state.updatedAt ?? state.since))) ? state : null;
  } catch {
    return null;
  }
}

/**
 * Whether a process is there still: one of another machine or container, which cannot be seen, counts as gone after a silence.
 *
 * @param heardAt when it last spoke, milliseconds since the epoch
 */
export const isThere = async (facts: ProcessFacts, heardAt: number): Promise<boolean> =>
  (await isAlive(facts)) ?? Math.abs(Date.now() - heardAt) < silentMs;

/** The record of a run that has started. */
export interface OpenRunRecord {
  /** Notes how it ended, with what of its report there is. */
  end(exitCode: number, told: Partial<RunReport>): Promise<void>;
}

/** Partitions that a record names, the worst first, and of each stream some, however many another has; problems; and characters of each text. */
const mostPartitions = 2000;
const ofEachStream = 20;
const mostProblems = 50;
const mostText = 1000;

/** Begins the record of a run; one without an end is that of a run that goes on, or was killed. */
export async function openRunRecord(
  warehouse: string,
  run: Pick<RunReport, 'runId' | 'command' | 'phases' | 'pipelines' | 'isWhole' | 'startedAt'>,
  clock: Clock = systemClock,
): Promise<OpenRunRecord> {
  const { runId, command, startedAt, ...summary } = run;
  const started: RunRecord = {
    format: 1,
    ...(await ownProcess()),
    runId,
    command,
    startedAt,
    finishedAt: null,
    exitCode: null,
    summary,
  };
  await writeRunRecord(warehouse, started);
  // It may wait for another run, and has no other way to say so to those who cannot see its process.
  const heartbeat = setInterval(() => void touchRunRecord(warehouse, started), heartbeatMs).unref();
  return {
    async end(exitCode, told) {
      clearInterval(heartbeat);
      const unread = (told.partitions ?? [])
        .filter((one) => !isReadToEnd(one))
        .map((one) => partitionName(one.stream, one.partition));
      // Where that cannot be told now, a later run looks further back.
      const reads = await lastReads(warehouse, unread).catch(() => undefined);
      await writeRunRecord(warehouse, {
        ...started,
        finishedAt: new Date(clock.now()).toISOString(),
        exitCode,
        summary: { ...summary, ...inShort(told, reads) },
      });
    },
  };
}

/** Higher where there is less to say of it. */
const rankOf = ({ outcome, behind }: RunReport['partitions'][number]) => (outcome !== 'done' ? 0 : behind ? 1 : 2);

/**
 * What `status` tells of a run, bounded whatever the run met.
 *
 * @param reads when partitions that it did not read to their end were last read
 */
function inShort(
  { partitions = [], problems = [], requests, published, stoppedBy }: Partial<RunReport>,
  reads?: Awaited<ReturnType<typeof lastReads>>,
) {
  const cut = (text: string) => text.slice(0, mostText);
  const worstFirst = [...partitions].sort((a, b) => rankOf(a) - rankOf(b));
  // A stream of which none is named would seem not to have been read.
  const some = firstOfEach(worstFirst, ofEachStream, ({ stream }) => [stream]);
  const inOrder = [...new Set([...some, ...worstFirst])];
  const unnamed = groupBy(
    inOrder.slice(mostPartitions).filter(({ outcome }) => outcome === 'failed'),
    ({ stream }) => stream,
  );
  return {
    rows: partitions.reduce((sum, { rows }) => sum + rows, 0),
    partitions: inOrder.slice(0, mostPartitions).map(({ message, notes, ...rest }) => ({
      ...rest,
      ...(message !== undefined && { message: cut(message) }),
      ...(reads && !isReadToEnd(rest) && { lastRead: reads.get(partitionName(rest.stream, rest.partition)) ?? null }),
    })),
    unnamedFailures: Object.fromEntries([...unnamed].map(([stream, failed]) => [stream, failed.length])),
    problems: problems.slice(0, mostProblems).map(({ code, message }) => ({ code, message: cut(message) })),
    requests,
    published: published ? { version: published.version } : null,
    stoppedBy,
  };
}
