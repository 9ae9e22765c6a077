import type { Row } from '../../core/columnType.ts';
import { FirnError } from '../../core/firnError.ts';
import type { RangeStream, Stream } from '../../core/stream.ts';
import type { ReadContext } from '../../run/read/partitionContext.ts';
import { readPaged } from '../../run/read/readPages.ts';
import { readPositions } from '../../run/read/readPositions.ts';
import { lookAtRange } from '../../run/read/readRange.ts';
import { answer } from '../../run/sources/drive.ts';
import type { Lease, Ledger } from '../contract.ts';

/** Whether workers can read a stream. The others compare with rows that a warehouse of one machine has at hand. */
export const isReadByWorkers = (stream: Stream): boolean =>
  (stream.way === 'range' || stream.way === 'slice' || stream.way === 'newestFirst') && !stream.revisions;

/** How a leased part is read: positions of a stretch, a partition page by page, or what stands for a range is looked at and divided. */
export const readLease =
  (ledger: Ledger, lease: Lease, stretches: number) =>
  async (stream: Stream, context: ReadContext): Promise<void> => {
    if (stream.way === 'slice' || stream.way === 'newestFirst') return readPaged(stream, context);
    if (stream.way !== 'range') throw new TypeError(`${stream.id} is not read by workers`);
    if (lease.range) return readStretch(stream, context, lease, lease.range);
    return divideRange(stream, context, ledger, lease, stretches);
  };

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
  const { saved, head } = await lookAtRange(stream, context);
  if (head === null) return;
  if (lease.tip && stream.holds && !(await answer(stream.holds(partition, lease.tip as Row), fetch))) {
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
