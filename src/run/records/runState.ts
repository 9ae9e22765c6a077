import { readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { partitionName } from '../../core/partitionName.ts';
import { replaceFile } from '../../disk/durable.ts';
import { heartbeatMs, silentMs } from '../../load/state/holdWarehouse.ts';
import { isAlive, ownProcess, type ProcessFacts, processFactsSchema } from '../../load/state/processFacts.ts';
import type { SyncListener } from '../read/syncOptions.ts';

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

/** The shortest time between two writes; the longest is `heartbeatMs`. */
const pauseMs = 1000;

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
