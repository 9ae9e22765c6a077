import type { Row } from '../../core/columns/columnType.ts';
import { brokenLinks, isLinkBroken, missingPositions } from '../../core/paging/rangeGaps.ts';
import type { RangeStream } from '../../core/stream/stream.ts';
import { hasValues } from '../../core/text/sqlText.ts';
import { isAmended } from './isAmended.ts';
import type { ReadContext } from './partitionContext.ts';
import { createRangeReader, measured, orUndefined } from './takeRange.ts';

/**
 * Asks for a position, and for the one behind it where that does not follow: it came beside the record that could not be read, when
 * nothing could tell that it is another chain's.
 *
 * @returns nothing where it still cannot be read, or does not fit between its neighbours
 */
export async function readLinked(stream: RangeStream, context: ReadContext, position: number, rowsAt: RowsAt) {
  for (const to of [position, position + 1]) {
    const { fetch, last } = measured(context.fetch);
    const reader = createRangeReader(stream, context, fetch, { from: position, to });
    const { records = [], page } = (await orUndefined(reader.ask().then(reader.agreed))) ?? {};
    if (!page || page.quarantined.length > 0) return undefined;
    // Another one than was asked for is not beside its neighbours, and has no broken link.
    if (missingPositions(stream, { from: position, to }, records).length > 0) return undefined;
    // Asked for with care, too, its parts may be of several blocks.
    if (stream.agree?.(page.set, context.state) === false) return undefined;
    if (!isAmended(stream, page, context.state)) return undefined;
    const { own } = page.set;
    const beside = [position - 1, to + 1];
    const rows = await rowsAt(stream, context, beside);
    const [before, after] = beside.map((one) => rows.find((row) => Number(row[stream.position]) === one));
    if (brokenLinks(stream, before, own).length > 0) return undefined;
    if (!after || !isLinkBroken(stream, own.last() as Row, after)) return { page, from: last() };
  }
  return undefined;
}

/** Gives the rows at positions of a partition, as far as there are any. */
export type RowsAt = (stream: RangeStream, context: ReadContext, at: readonly number[]) => Promise<readonly Row[]>;

/** The rows that the warehouse holds. */
export const rowsInWarehouse: RowsAt = ({ table, position }, { warehouse, partition: { values } }, at) =>
  warehouse.query<Row>(
    `SELECT * FROM ${table.name} WHERE "${position}" IN (${at.join(', ')}) AND ${hasValues(values)}`,
    values,
  );
