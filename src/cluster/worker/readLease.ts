import type { Row } from '../../core/columnType.ts';
import { FirnError } from '../../core/firnError.ts';
import { identifier } from '../../core/sqlText.ts';
import type { RangeStream, Stream } from '../../core/stream.ts';
import { healQuarantine } from '../../run/read/healQuarantine.ts';
import type { ReadContext } from '../../run/read/partitionContext.ts';
import { readLookup } from '../../run/read/readLookup.ts';
import { readPaged } from '../../run/read/readPages.ts';
import { lookAtRange, readPositions } from '../../run/read/readRange.ts';
import { readSnapshot } from '../../run/read/readSnapshot.ts';
import { answer } from '../../run/sources/drive.ts';
import type { BackfillRequest } from '../../run/upkeep/backfillPartition.ts';
import type { Lease, Ledger } from '../contract.ts';
import { type AppliedLake, queryLake } from './queryLake.ts';
import { readBeside } from './readBeside.ts';
import { withLakeKeys } from './withLakeKeys.ts';

/** What a lease is read with. */
export interface LeaseContext {
  readonly ledger: Ledger;
  readonly lake: AppliedLake | undefined;
  /** Length of a stretch of positions, in requests. */
  readonly stretches: number;
  /** The backfill to read, where the lease is for one. */
  readonly request?: BackfillRequest | undefined;
}

/** How a leased part is read: the positions of a stretch; a partition as on one machine; a range by looking at its head, dividing it and healing it. */
export const readLease =
  (lease: Lease, { ledger, lake, stretches, request }: LeaseContext) =>
  async (stream: Stream, context: ReadContext): Promise<void> => {
    if (lease.beside) return readBeside(stream, context, { lease, ledger, lake, stretches, request });
    switch (stream.way) {
      case 'range':
        if (lease.range) return readStretch(stream, context, lease, lease.range);
        await divideRange(stream, context, ledger, lease, stretches);
        return healRange(stream, context, ledger, lease, lake);
      case 'snapshot':
        return readSnapshot(stream, context);
      case 'lookup':
        if (!lake) throw new TypeError(`${stream.id} is read with an engine`);
        return readLookup(await withLakeKeys(stream, context, { lake, ledger, lease }), context, false);
      default:
        return readPaged(stream, context);
    }
  };

/** Asks again for what is in quarantine. It must fit the rows beside it, so not while some are on their way to the engine. */
async function healRange(
  stream: RangeStream,
  context: ReadContext,
  ledger: Ledger,
  lease: Lease,
  lake: AppliedLake | undefined,
): Promise<void> {
  const { name } = stream.table;
  if (!lake || (await ledger.waiting(lease)).length === 0 || (await ledger.pendingTables()).includes(name)) return;
  await healQuarantine(stream, context, lease.cursor, undefined, ({ link, position }, { partition }, at) => {
    const columns = [position, ...(link ? [link.id, link.parent] : [])].map(identifier).join(', ');
    const of = Object.keys(partition.values).map((column) => `AND ${identifier(column)} = $${column}`);
    return queryLake<Row>(
      lake,
      `SELECT ${columns} FROM ${name} WHERE ${identifier(position)} IN (${at.join(', ')}) ${of.join(' ')}`,
      partition.values,
    );
  });
}

function readStretch(
  stream: RangeStream,
  context: ReadContext,
  lease: Lease,
  { first, last }: NonNullable<Lease['range']>,
) {
  const saved = lease.cursor as { next: number } | null;
  const durable = (next: number) => ({ next });
  const previous = (lease.tip as Row | null) ?? undefined;
  return readPositions(stream, context, { saved, first: saved?.next ?? first, last, previous, durable });
}

/** @throws FirnError `source_shrank` where the source does not hold what was read from it last */
async function divideRange(
  stream: RangeStream,
  context: ReadContext,
  ledger: Ledger,
  lease: Lease,
  stretches: number,
): Promise<void> {
  const { partition, fetch, brackets } = context;
  const { saved, head } = await lookAtRange(stream, context, await context.saved());
  if (head === null) return;
  const isNew = saved !== null && saved.next <= head;
  if (isNew && lease.tip && stream.holds && !(await answer(stream.holds(partition, lease.tip as Row), fetch))) {
    throw new FirnError(
      'source_shrank',
      `${stream.id} (${lease.partition}): the source no longer holds what was read from it last. Its index was wiped and built anew, or another ` +
        'node answers. Nothing was changed: point the source back, or begin a new control database.',
    );
  }
  const first = saved?.next ?? (await answer(stream.first(partition, head, brackets), fetch));
  const last = stream.last ? await answer(stream.last(partition, first, head, brackets), fetch) : head;
  if (last >= first) await ledger.divide(lease, { first, last, size: stream.size * stretches });
}
