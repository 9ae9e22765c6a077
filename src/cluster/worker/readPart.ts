import { FirnError, hasCode } from '../../core/firnError.ts';
import { linkedAbort } from '../../extract/linkedAbort.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import { beginOf, type PlannedStream } from '../../run/planStreams.ts';
import { createSameChain, isChained } from '../../run/read/sameChain.ts';
import type { PartitionResult } from '../../run/read/syncOptions.ts';
import { syncStreams } from '../../run/read/syncStreams.ts';
import type { Lease } from '../contract.ts';
import { keepLease } from './keepLease.ts';
import { type KnownParts, notBegun } from './knownParts.ts';
import type { Found } from './leaseContext.ts';
import type { Refusal } from './noteRefusal.ts';
import { queryLake } from './queryLake.ts';
import { readLease } from './readLease.ts';
import type { Replacing } from './replacing.ts';
import { stagedRows } from './stagedRows.ts';
import { stagingWarehouse } from './stagingWarehouse.ts';
import type { Timing, WorkerOptions } from './workerOptions.ts';

/** What a worker reads its parts with. */
export interface Work extends WorkerOptions {
  readonly known: KnownParts;
  readonly found: Found;
  readonly timing: Timing;
  /** When it began, by a clock that is never set. */
  readonly begun: number;
  /** Whether it was told that the ledger does not answer: once an outage, not every second of it. */
  readonly outage: { isTold: boolean };
  readonly refusal: Refusal;
}

/**
 * Reads a part, and gives its lease back.
 *
 * @throws FirnError `disk` · `unauthorized`, `config` where the stage refuses the key, or is no more
 */
export async function readPart(scratch: Warehouse, lease: Lease, work: Work): Promise<void> {
  const result = await read(scratch, lease, work).catch((error: unknown) => {
    // What the read begins from could not be had: the bucket or the ledger is gone, or lost it.
    if (!(error instanceof FirnError)) throw error;
    return notBegun(lease, error);
  });
  const ended = await release(lease, result, work);
  work.finished?.(lease, ended);
  if (work.refusal.error) throw work.refusal.error;
  if (result.code === 'disk') throw new FirnError('disk', result.message ?? 'The disk is full.');
}

async function read(scratch: Warehouse, lease: Lease, work: Work): Promise<PartitionResult> {
  const { known, ledger, stage, lake, signal, log, stretches = 64 } = work;
  const { of, partition } = known.of(lease);
  // Only this partition of the stream is read.
  const stream = { ...of.stream, needs: [], partitions: () => [partition] } as PlannedStream['stream'];
  const staged = { ledger, stage, scratch, lists: known.lists };
  const replacing: Replacing = { isOn: lease.again !== undefined, without: [] };
  const reading = {
    ...staged,
    ...work.found,
    replacing,
    lake,
    stretches,
    ranges: known.ranges,
    request: work.backfill,
    begin: beginOf(of, partition),
  };
  const [result] = await keepLease(ledger, lease, work.timing.lease, async (fence) => {
    const life = linkedAbort(signal, fence);
    return syncStreams({
      warehouse: await stagingWarehouse(scratch, { stream: of.stream, partition, lease, ledger, stage, replacing }),
      planned: [{ ...of, stream }],
      network: known.network,
      fetch: work.fetch,
      runId: work.owner,
      signal: life.signal,
      readStream: readLease(lease, reading),
      // What is applied meanwhile is found in the lake.
      sameChain: createSameChain([
        ...(isChained(of.stream) ? [stagedRows(staged, { stream: of.stream, partition })] : []),
        (sql, values) => queryLake<never>(lake, sql, values).catch(whereDown),
      ]),
      readUntil: (id, key) => ledger.readUntil({ stream: id, partition: key }),
      ...(work.notReady && { notReady: work.notReady }),
      ...(work.clock && { clock: work.clock }),
      ...(log && { log }),
    }).finally(life.unlink);
  });
  if (!result) throw new TypeError(`${lease.stream} has no partition ${lease.partition}`);
  return result;
}

/** Gives a lease back; gives what became of the part. */
async function release(lease: Lease, result: PartitionResult, work: Work): Promise<PartitionResult> {
  const { known, timing, ledger, log } = work;
  const { of, partition } = known.of(lease);
  const { stream } = of;
  const { outcome, code, message, behind } = result;
  // Where the ledger says so, another worker has the lease now.
  if (code === 'locked') return result;
  const isList = stream.way === 'snapshot' || stream.way === 'lookup' || stream.revisions !== undefined;
  const look = isList ? timing.list : timing.look;
  // What a range has left are stretches.
  const after = { done: lease.range ? 0 : look, stopped: 0, not_offered: timing.notOffered, failed: timing.retry };
  const passesOver = stream.way === 'range' && stream.mayHaveGaps?.(partition);
  const told = { outcome, code, ...(stream.way === 'lookup' && { behind }) };
  try {
    await ledger.release(lease, { dueInMs: after[outcome], problem: message, result: told, passesOver });
    return result;
  } catch (error) {
    if (!(error instanceof FirnError)) throw error;
    log?.warn({ code: error.code }, error.message);
    // The rows that it read do not follow those before them.
    return error.code === 'contract'
      ? { ...result, outcome: 'failed', code: error.code, message: error.message }
      : result;
  }
}

/** Workers read on while the engine does not answer: what is held is not known then. */
function whereDown(error: unknown): never[] {
  if (hasCode(error, 'unavailable')) return [];
  throw error;
}
