import type { Row } from '../../core/columns/columnType.ts';
import { FirnError } from '../../core/firnError.ts';
import { isOtherSource } from '../../core/requests/isOtherSource.ts';
import { partitionKey } from '../../core/stream/partition.ts';
import type { RangeStream, Stream } from '../../core/stream/stream.ts';
import { begunBy, begunFrom } from '../../load/commit/begun.ts';
import { commitBeside } from '../../run/read/commitBeside.ts';
import { createBatchBuilder } from '../../run/read/committer.ts';
import { earlierBegin } from '../../run/read/earlierBegin.ts';
import { lookAtList } from '../../run/read/lookAtList.ts';
import { lookAtRange } from '../../run/read/lookAtRange.ts';
import { type BeginElsewhere, beginOfAll, heldBelow } from '../../run/read/lookBack.ts';
import type { HeldQuery, ReadContext } from '../../run/read/partitionContext.ts';
import { readLookup } from '../../run/read/readLookup.ts';
import { readPaged } from '../../run/read/readPages.ts';
import { readPositions } from '../../run/read/readPositions.ts';
import { firstToRead, noteEmpty } from '../../run/read/readRange.ts';
import { readSnapshot } from '../../run/read/readSnapshot.ts';
import { isOfChain, notTaken } from '../../run/read/sameChain.ts';
import { answer } from '../../run/sources/drive.ts';
import type { Lease, Ledger } from '../contract.ts';
import { askLakeAgain } from './askLakeAgain.ts';
import { healRange } from './healRange.ts';
import type { LeaseContext } from './leaseContext.ts';
import { queryLake } from './queryLake.ts';
import { readAgain } from './readAgain.ts';
import { readBeside } from './readBeside.ts';
import { rowInCluster } from './rowInCluster.ts';
import { stagedRows } from './stagedRows.ts';
import { withLakeKeys } from './withLakeKeys.ts';

/** How a leased part is read: the positions of a stretch; a partition as on one machine; a range by looking at its head, dividing it and healing it. */
export const readLease =
  (lease: Lease, reading: LeaseContext) =>
  async (stream: Stream, context: ReadContext): Promise<void> => {
    const { ledger, lake } = reading;
    if (lease.beside) return readBeside(stream, context, { lease, ...reading });
    // Stretches were made by a look, and a range that was read looks at itself.
    if (!lease.range && (stream.way !== 'range' || lease.cursor === null))
      await assertSameSource(stream, context, reading);
    if (!lease.range) await noteBegin(stream, context, lease, reading);
    if (stream.way === 'snapshot') await assertSameLists(stream, context, reading);
    switch (stream.way) {
      case 'range':
        if (lease.again) return readAgain(stream, context, lease, reading);
        if (lease.range) return readStretch(stream, context, { lease, range: lease.range, ledger });
        await divideRange(stream, context, lease, reading);
        await healRange(stream, context, lease, reading);
        return askLakeAgain(stream, context, lease, reading);
      case 'snapshot':
        return readSnapshot(stream, context);
      case 'lookup':
        return readLookup(await withLakeKeys(stream, context, { lake, ledger, lease }), context);
      default:
        return readPaged(stream, context, beginInLake(reading, context));
    }
  };

/** Notes from where on a partition is read where nothing was read of it; of one that is to begin earlier by now tells that. */
async function noteBegin(
  { id }: Stream,
  { note, now }: ReadContext,
  lease: Lease,
  { ledger, begin }: LeaseContext,
): Promise<void> {
  const { begun, cursor } = lease;
  if (begin === undefined || begin === begun) return;
  if (cursor === null || begun === null)
    return ledger.begin(lease, (cursor ? begunBy(cursor) : undefined) ?? begunFrom(begin, begun, now()));
  const earlier = earlierBegin(id, begin, begun, now());
  if (earlier) note?.(earlier);
}

/**
 * Makes sure that a source holds what was read from it by position: of one that does not nothing is taken, snapshots neither.
 *
 * @throws FirnError `unavailable` or `source_shrank` as `lookAtRange` says
 */
async function assertSameSource({ source }: Stream, context: ReadContext, reading: LeaseContext): Promise<void> {
  const { ledger, ranges } = reading;
  for (const { stream, partition } of ranges.filter((range) => range.stream.source.name === source.name)) {
    const at = { stream: stream.id, partition: partitionKey(partition) };
    const stands = await ledger.standsAt(at);
    if (stands.cursor === null) continue;
    try {
      await lookAtRange(stream, { ...context, partition }, stands.cursor, rowInCluster({ ...at, ...stands }, reading));
    } catch (error) {
      if (!(error instanceof FirnError)) throw error;
      // Another trouble is that partition's own.
      if (!isOtherSource(error)) continue;
      const { code, message, retryable, context: facts } = error;
      throw new FirnError(code, `Nothing was taken from the source ${source.name}: ${message}`, {
        retryable,
        context: facts,
      });
    }
  }
}

/** Milliseconds for which it counts what a list told. */
const looksCount = 60_000;

/**
 * Makes sure that a source still lists the chain that a snapshot is of, where lists of that chain are held: the rows of a snapshot do not tell.
 *
 * @throws FirnError `source_shrank` as `createSameChain` says
 */
async function assertSameLists({ source }: Stream, context: ReadContext, reading: LeaseContext): Promise<void> {
  const { ledger, lake, lists, looked } = reading;
  const { values } = context.partition;
  const inLake: HeldQuery = (sql, of) => queryLake(lake, sql, of);
  for (const list of lists.filter(({ stream }) => stream.source.name === source.name)) {
    const { stream, partition } = list;
    if (!isOfChain(stream, partition.values, values)) continue;
    const chain = [source.name, ...stream.chainOfRows.by.map((name) => partition.values[name])].join(' ');
    const look = looked.get(chain);
    if (look && look.until > context.now()) {
      if (look.refusal) throw notTaken(look.refusal);
      continue;
    }
    const { cursor } = await ledger.standsAt({ stream: stream.id, partition: partitionKey(partition) });
    if (cursor === null) continue;
    const at = { ...context, partition, warehouse: { query: stagedRows(reading, list) } };
    const until = () => context.now() + looksCount;
    try {
      await lookAtList(stream, at, context.network, cursor, [inLake]);
      looked.set(chain, { until: until(), refusal: undefined });
    } catch (error) {
      if (!(error instanceof FirnError)) throw error;
      if (error.code === 'source_shrank') {
        looked.set(chain, { until: until(), refusal: error });
        throw notTaken(error);
      }
      // Source or engine are in trouble: the next snapshot looks again. Any other trouble is that list's own, and the next list of the chain tells.
      if (error.retryable) return;
    }
  }
}

/** Notes that a source that may lack positions has none below the first one. */
async function noteMissing(stream: RangeStream, context: ReadContext, first: number): Promise<void> {
  const builder = createBatchBuilder();
  builder.noteGap(0, first - 1);
  await commitBeside(stream, context, builder.build(), { from: null, to: null });
}

async function readStretch(
  stream: RangeStream,
  context: ReadContext,
  {
    lease,
    range,
    ledger,
  }: { readonly lease: Lease; readonly range: NonNullable<Lease['range']>; readonly ledger: Ledger },
): Promise<void> {
  const saved = lease.cursor as { next: number } | null;
  const first = saved?.next ?? range.first;
  // The settings may be others than those by which it was made.
  if (stream.takesPart?.(context.partition)) await ledger.takeInPart(lease, first);
  const durable = (next: number) => ({ next });
  const previous = (lease.tip as Row | null) ?? undefined;
  await readPositions(stream, context, { saved, first, last: range.last, previous, durable });
}

/**
 * Divides what is new among workers.
 *
 * @throws FirnError `unavailable` or `source_shrank` as `lookAtRange` says
 */
async function divideRange(
  stream: RangeStream,
  context: ReadContext,
  lease: Lease,
  reading: LeaseContext,
): Promise<void> {
  const { ledger, stretches } = reading;
  const { partition, fetch, brackets } = context;
  const { saved, head } = await lookAtRange(stream, context, await context.saved(), rowInCluster(lease, reading));
  if (head === null) return noteEmpty(stream, context);
  const first = saved?.next ?? (await firstToRead(stream, context, head));
  const last = stream.last ? await answer(stream.last(partition, first, head, brackets), fetch) : head;
  if (!stream.takesPart?.(partition)) await ledger.divideAgain(lease, stream.size * stretches);
  if (saved === null && first > 0 && stream.mayHaveGaps?.(partition)) await noteMissing(stream, context, first);
  if (last >= first) await ledger.divide(lease, { first, last, size: stream.size * stretches });
}

/**
 * Where a look back begins of which the rows that a read compares with reach no further: they are those of a shorter one, or of none, or all
 * that there are.
 */
const beginInLake =
  ({ ledger, lake, young }: LeaseContext, { warehouse }: Pick<ReadContext, 'warehouse'>): BeginElsewhere =>
  async (stream, partition, cursor) => {
    const place = `${stream.id} ${partitionKey(partition)} ${cursor}`;
    const known = young.get(place);
    if (known !== undefined) return known;
    // Its rows are on their way: the next look is soon enough.
    if ((await ledger.pendingTables()).includes(stream.table.name)) return cursor;
    const held = await heldBelow(stream, partition, cursor, (sql, values) => queryLake(lake, sql, values));
    if (held.begin !== null) return held.begin;
    const begin = await beginOfAll(stream, warehouse, cursor, held.lowest);
    young.set(place, begin);
    return begin;
  };
