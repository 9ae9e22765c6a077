import PQueue from 'p-queue';
import type { FirnError } from '../../core/firnError.ts';
import { createLookTurns } from '../../core/paging/lookTurns.ts';
import { dropRowSets } from '../../core/parse/rowSet.ts';
import { partitionName } from '../../core/partitionName.ts';
import { createEnricher } from '../../decode/senders/enricher.ts';
import { systemClock } from '../../extract/clock.ts';
import { realOutside } from '../../extract/http/outside.ts';
import { linkedAbort } from '../../extract/linkedAbort.ts';
import { openDateHeights } from '../../load/bookkeeping/dateHeights.ts';
import { readBegun } from '../../load/commit/begun.ts';
import { listPartitions } from '../planStreams.ts';
import { inTurn } from './inTurn.ts';
import { openPartition, type PartitionRead, ranks } from './openPartition.ts';
import { foundOf } from './readLookup.ts';
import { createSameChain } from './sameChain.ts';
import type { PartitionResult, SyncOptions } from './syncOptions.ts';

const partitionsAtOnce = 4;

/** What DuckDB always has, and what it has more for each partition that could be read at once and is not. */
const leastMb = 64;
const mbOfEachFree = 4;

/**
 * What DuckDB may take while much is read, as `memory_limit`: the fewer are read at once, the fewer batches wait beside it in the process.
 * With more of it less is compressed twice, but the process shall stay below 512 MiB: 200,000 blocks with receipts and logs take 479 MiB with
 * this, 492 to 520 with 88 MB, 528 with 112 MB.
 *
 * @param partitions how many there are to read; 0 where that is not known
 */
export function syncMemory(partitions: number): string {
  const free = partitionsAtOnce - Math.min(partitionsAtOnce, partitions || partitionsAtOnce);
  return `${leastMb + free * mbOfEachFree}MB`;
}

/**
 * Reads every partition of the planned streams. A partition that fails does not stop the others; a full disk stops all,
 * since nothing can be committed any more. Before anything is written, every range that was read before is looked at: from a source
 * that has lost what was read from it, or is behind it, nothing is taken, not even snapshots. Lookups come last: the others bring their keys.
 *
 * Where the run may end before all is read, they take turns: to ask those that come first whether there is anything new may be all that it can do.
 */
export async function syncStreams(options: SyncOptions): Promise<PartitionResult[]> {
  const stop = linkedAbort(options.signal);
  const { signal } = stop;
  // What was read is made durable at once: the process may be killed before the answers under way come.
  signal.addEventListener('abort', () => void options.warehouse.commit(), { once: true });
  const results: PartitionResult[] = [];
  const enricher = createEnricher(options.log);
  try {
    const dates = await openDateHeights(options.warehouse);
    const begun = await readBegun(options.warehouse.query);
    const turnOn = createLookTurns();
    const sameChain = options.sameChain ?? createSameChain();
    const listed = options.planned.flatMap((planned) =>
      listPartitions(planned, options).map((one) =>
        openPartition(planned, one, { ...options, dates, begun, turnOn, enrich: enricher.enrich, sameChain, signal }),
      ),
    );
    const { isLimited, warehouse, readStream, random = realOutside.random } = options;
    const reads = isLimited ? await inTurn(warehouse, listed, readStream !== undefined, random) : listed;
    for (const { stream, key } of reads) options.listener?.planned?.(stream, key);
    const { now } = options.clock ?? systemClock;
    const finish = (read: PartitionResult) => {
      if (read.code === 'disk') stop.abort();
      const result = { ...read, endedAt: new Date(now()).toISOString() };
      results.push(result);
      options.listener?.finished?.(result);
    };
    const refusals = readStream ? new Map<string, FirnError>() : await lookAtSources(reads);
    const lacking = new Map<PartitionRead, PartitionResult>();
    await readInOrder(reads, options.atOnce, async (one) => {
      const result = await one.read(refusals.get(one.source));
      if (one.missed().length > 0) lacking.set(one, result);
      else finish(result);
    });
    // A transaction that is named for all chains is on one of them, which may have been read after the others.
    for (const [one, result] of lacking) {
      const isNews = results.some(({ stream, rows }) => stream === one.stream && rows > 0);
      const isElsewhere = isNews && (await foundOf(warehouse, one.stream, one.missed())).length > 0;
      finish(isElsewhere ? await one.read(refusals.get(one.source)) : result);
    }
  } finally {
    stop.unlink();
    dropRowSets();
    await enricher.close();
  }
  return results;
}

/** Looks at every partition once. Gives why nothing of a source may be taken, by its name. */
async function lookAtSources(reads: readonly PartitionRead[]): Promise<ReadonlyMap<string, FirnError>> {
  const refusals = new Map<string, FirnError>();
  const queue = new PQueue({ concurrency: partitionsAtOnce });
  const firsts = new Map(reads.toReversed().map((one) => [partitionName(one.stream, one.key), one]));
  for (const { source, look } of firsts.values()) {
    void queue.add(async () => {
      const refusal = await look();
      // One that lost what was read says more than one that is late.
      if (refusal && refusals.get(source)?.code !== 'source_shrank') refusals.set(source, refusal);
    });
  }
  await queue.onIdle();
  return refusals;
}

/**
 * Reads some at once, one rank after the other. Where several pipelines name a partition, each reads on from where the one before has ended: side by side,
 * one would undo the other.
 */
async function readInOrder(
  reads: readonly PartitionRead[],
  atOnce = partitionsAtOnce,
  read: (one: PartitionRead) => Promise<void>,
): Promise<void> {
  const before = new Map<string, Promise<void>>();
  for (const rank of ranks) {
    const queue = new PQueue({ concurrency: atOnce });
    for (const one of reads.filter((one) => one.rank === rank)) {
      const previous = before.get(partitionName(one.stream, one.key));
      const done = queue.add(async () => {
        await previous;
        await read(one);
      });
      before.set(partitionName(one.stream, one.key), done);
    }
    await queue.onIdle();
  }
}
