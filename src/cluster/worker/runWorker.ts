import { existsSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FirnError, problemOf } from '../../core/firnError.ts';
import type { Log } from '../../core/log.ts';
import type { NetworkFacts } from '../../core/network.ts';
import { type Partition, partitionKey, type RangeStream, tablesOf } from '../../core/stream.ts';
import { linkedAbort } from '../../extract/linkedAbort.ts';
import { openWarehouse, type Warehouse } from '../../load/warehouse.ts';
import { listPartitions, type NetworkAsFarAsKnown, type PlannedStream } from '../../run/planStreams.ts';
import { type PartitionResult, type SyncOptions, syncStreams } from '../../run/read/syncStreams.ts';
import { type BackfillRequest, besideOf, canBackfill } from '../../run/upkeep/backfillPartition.ts';
import type { Lease, Ledger, Stage, WholeLease } from '../contract.ts';
import { keepLease } from './keepLease.ts';
import type { AppliedLake } from './queryLake.ts';
import { type LeaseContext, readLease } from './readLease.ts';
import { stagingWarehouse } from './stagingWarehouse.ts';

/** What a worker is given. */
export interface WorkerOptions extends Pick<SyncOptions, 'fetch' | 'notReady' | 'problems' | 'clock'> {
  readonly ledger: Ledger;
  readonly stage: Stage;
  /** Left out: lookups are not read, and nothing in quarantine is asked for again. */
  readonly lake?: AppliedLake | undefined;
  /** Applies files that wait; called when nothing else is due. Gives whether there were any. */
  readonly applyRest?: (() => Promise<boolean>) | undefined;
  readonly planned: readonly PlannedStream[];
  readonly network: NetworkFacts;
  /** Asks once more what the network is: a chain may have been down when the worker began. */
  readonly resolve?: (() => Promise<NetworkAsFarAsKnown>) | undefined;
  /** Folder for what is on its way; nothing in it outlives the worker. A state in it is what others begin from. */
  readonly scratch: string;
  /** Name of the worker: machine and process. */
  readonly owner: string;
  /** Raised by SIGTERM: batches under way are committed, and leases given back. */
  readonly signal: AbortSignal;
  readonly log?: Log | undefined;
  /** Called for every part that was read, and first for every partition that cannot be. */
  readonly finished?: ((part: Part, result: PartitionResult) => void) | undefined;
  /** Ends when nothing is due that nobody holds. Default: never. */
  readonly untilIdle?: boolean | undefined;
  readonly timing?: Partial<Timing> | undefined;
  /** Parts read at once. */
  readonly atOnce?: number | undefined;
  /** Length of a stretch of positions, in requests. */
  readonly stretches?: number | undefined;
  /** A backfill to read first, of every partition that allows it. */
  readonly backfill?: BackfillRequest | undefined;
}

type Part = Pick<Lease, 'stream' | 'partition'> & Partial<Lease>;

/** Milliseconds. */
interface Timing {
  /** How long a lease holds; it is renewed three times in that. */
  readonly lease: number;
  /** Between looks: at a source for what is new, at lists that are read whole, lookups and chains that did not answer, and at the ledger when nothing is due. */
  readonly look: number;
  readonly list: number;
  readonly idle: number;
  /** Before a part that failed is tried again, and one that its source does not offer. */
  readonly retry: number;
  readonly notOffered: number;
}

const usual: Timing = {
  lease: 60_000,
  look: 10_000,
  list: 600_000,
  idle: 1_000,
  retry: 30_000,
  notOffered: 3_600_000,
};

/**
 * Leases parts and reads them, until the signal is raised. What one part fails with is noted, and the part is handed out again later.
 *
 * @throws FirnError `disk`, and with `untilIdle` what keeps the ledger from answering
 */
export async function runWorker(options: WorkerOptions): Promise<void> {
  const { ledger, lake, finished, atOnce = 4 } = options;
  const planned = options.planned.filter(({ stream }) => lake || stream.way !== 'lookup');
  const known = new Map<string, { of: PlannedStream; partition: Partition }>();
  const partitions: { stream: string; partition: string; isLate: boolean }[] = [];
  const ranges: { stream: RangeStream; partition: Partition }[] = [];
  const told = new Set<string>();
  /** Takes up what is known by now; gives what keeps other partitions from being read. */
  const takeUp = async (network: NetworkAsFarAsKnown): Promise<unknown> => {
    let unread: unknown;
    const before = partitions.length;
    for (const of of planned) {
      const { stream } = of;
      for (const { key, partition, problem } of listPartitions(of, network)) {
        const part = { stream: stream.id, partition: key };
        const name = nameOf(stream.id, key);
        const isKnown = known.has(name);
        if (problem === undefined && partition) {
          known.set(name, { of, partition });
          if (isKnown) continue;
          partitions.push({ ...part, isLate: stream.way === 'lookup' });
          if (stream.way === 'range') ranges.push({ stream, partition });
        } else if (problem !== undefined && !isKnown) {
          unread ??= problem;
          if (!told.has(name)) finished?.(part, notBegun(part, problem));
          told.add(name);
        }
      }
    }
    await ledger.enlist(partitions.slice(before));
    return unread;
  };
  const unread = await takeUp(options);
  if (partitions.length === 0) throw unread ?? nothingToRead(options.planned);
  const stop = linkedAbort(options.signal);
  const { signal } = stop;
  const besides = options.backfill
    ? [...known.values()]
        .filter(({ of }) => canBackfill(of.stream))
        .map(({ of, partition }) => ({
          stream: of.stream.id,
          partition: partitionKey(partition),
          beside: besideOf(options.backfill as BackfillRequest),
        }))
    : [];
  const young = new Set<string>();
  const slots = Array.from({ length: atOnce }, async (_, slot) => {
    const folder = join(options.scratch, String(slot));
    const [made, own] = [options.scratch, folder].map((at) => join(at, '.state', 'firn.duckdb')) as [string, string];
    await mkdir(dirname(own), { recursive: true });
    // To make a state takes three times as long as to open a copy. What this one holds of the network, no batch takes along.
    if (existsSync(made)) await copyFile(made, own);
    const scratch = await openWarehouse({
      folder,
      tables: tablesOf(planned.map(({ stream }) => stream)),
      memoryLimit: '512MB',
      threads: 1,
    });
    try {
      await work(scratch, { ...options, signal, partitions, known, besides, young, ranges });
    } finally {
      scratch.close();
    }
  });
  if (unread !== undefined && !options.untilIdle) slots.push(askAgain(takeUp, { ...options, signal }));
  try {
    await Promise.all(slots);
  } finally {
    // The end of one ends all. They are waited for, so that their leases are given back.
    stop.abort();
    await Promise.allSettled(slots);
    stop.unlink();
  }
}

/** Asks on for chains that did not answer when the worker began, until all are known. */
async function askAgain(
  takeUp: (network: NetworkAsFarAsKnown) => Promise<unknown>,
  options: WorkerOptions,
): Promise<void> {
  const { resolve, signal, log } = options;
  if (!resolve) return;
  for (let unread: unknown = true; unread !== undefined; ) {
    await sleep({ ...usual, ...options.timing }.list, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    try {
      unread = await takeUp(await resolve());
    } catch (error) {
      if (!(error instanceof FirnError)) throw error;
      log?.warn({ code: error.code }, error.message);
    }
  }
}

const nameOf = (stream: string, partition: string) => `${stream} ${partition}`;

interface Work extends WorkerOptions, Pick<LeaseContext, 'young' | 'ranges'> {
  /** What is left to be read beside what is new. */
  readonly besides: Pick<WholeLease, 'stream' | 'partition' | 'beside'>[];
  readonly partitions: Parameters<Ledger['enlist']>[0];
  readonly known: ReadonlyMap<string, { readonly of: PlannedStream; readonly partition: Partition }>;
}

/** Reads one part after the other. */
async function work(scratch: Warehouse, options: Work): Promise<void> {
  const { ledger, owner, partitions, signal, untilIdle, log, besides } = options;
  const timing = { ...usual, ...options.timing };
  for (let of = besides.shift(); of && !signal.aborted; of = besides.shift()) {
    const lease = await ledger.leaseWhole({ ...of, owner, ms: timing.lease });
    if (lease) await readOnce(scratch, lease, options, timing);
    else log?.warn({}, `${of.stream} (${of.partition}): another process reads the same backfill.`);
  }
  while (!signal.aborted) {
    let lease: Lease | null = null;
    try {
      lease = await ledger.lease({ owner, ms: timing.lease, partitions });
    } catch (error) {
      const mayPass = error instanceof FirnError && error.code === 'unavailable' && !untilIdle;
      if (!mayPass) throw error;
      log?.warn({}, error.message);
    }
    if (lease) await readOnce(scratch, lease, options, timing);
    else if (untilIdle) {
      if (!(await options.applyRest?.())) return;
      // Rows just applied may hold keys to look up; what others are applying is waited for.
      await sleep(timing.idle, undefined, { signal }).catch(() => {});
    } else await sleep(timing.idle * (0.5 + Math.random()), undefined, { signal }).catch(() => {});
  }
}

async function readOnce(scratch: Warehouse, lease: Lease, options: Work, timing: Timing): Promise<void> {
  const { ledger, stage, signal, log, stretches = 64 } = options;
  const { of, partition } = options.known.get(nameOf(lease.stream, lease.partition)) as NonNullable<
    ReturnType<Work['known']['get']>
  >;
  // Only this partition of the stream is read.
  const stream = { ...of.stream, needs: [], partitions: () => [partition] } as PlannedStream['stream'];
  const [result] = await keepLease(ledger, lease, timing.lease, async (fence) => {
    const life = linkedAbort(signal, fence);
    return syncStreams({
      warehouse: await stagingWarehouse(scratch, { stream: of.stream, partition, lease, ledger, stage }),
      planned: [{ ...of, stream }],
      network: options.network,
      fetch: options.fetch,
      runId: options.owner,
      signal: life.signal,
      readStream: readLease(lease, {
        ledger,
        lake: options.lake,
        stretches,
        young: options.young,
        ranges: options.ranges,
        request: options.backfill,
      }),
      readUntil: (id, key) => ledger.readUntil({ stream: id, partition: key }),
      ...(options.notReady && { notReady: options.notReady }),
      ...(options.clock && { clock: options.clock }),
      ...(log && { log }),
    }).finally(life.unlink);
  }).catch((error: unknown) => {
    // What the read begins from could not be had: the bucket or the ledger is gone, or lost it.
    if (!(error instanceof FirnError)) throw error;
    return [notBegun(lease, error)];
  });
  if (!result) throw new TypeError(`${lease.stream} has no partition ${lease.partition}`);
  const { outcome, code, message, behind } = result;
  let ended: PartitionResult = result;
  const isList = of.stream.way === 'snapshot' || of.stream.way === 'lookup' || of.stream.revisions !== undefined;
  const look = isList ? timing.list : timing.look;
  const after = { done: lease.range ? 0 : look, stopped: 0, not_offered: timing.notOffered, failed: timing.retry };
  try {
    // Where the ledger says so, another worker has the lease now.
    if (code !== 'locked') {
      // What a range has left are stretches.
      const told = { outcome, ...(of.stream.way === 'lookup' && { behind }) };
      await ledger.release(lease, { dueInMs: after[outcome], problem: message, result: told });
    }
  } catch (error) {
    if (!(error instanceof FirnError)) throw error;
    log?.warn({ code: error.code }, error.message);
    // The rows that it read do not follow those before them.
    if (error.code === 'contract') ended = { ...result, outcome: 'failed', code: error.code, message: error.message };
  }
  options.finished?.(lease, ended);
  if (code === 'disk') throw new FirnError('disk', message ?? 'The disk is full.');
}

const notBegun = ({ stream, partition }: Part, error: unknown): PartitionResult => ({
  stream,
  partition,
  outcome: 'failed',
  ...problemOf(error),
  rows: 0,
  childRows: 0,
  quarantined: 0,
  bytes: 0,
  requests: 0,
  seconds: 0,
});

const nothingToRead = (planned: readonly PlannedStream[]) =>
  new FirnError(
    'config',
    `There is nothing here that workers read: ${planned.map(({ stream }) => stream.id).join(', ') || 'no stream'} has no partition that is known. ` +
      'firn doctor says what is missing.',
  );
