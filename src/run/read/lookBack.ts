import { holdsTimes } from '../../core/columns/holdsTimes.ts';
import type { Partition, Position } from '../../core/stream/partition.ts';
import { type PagedStream, timeOf } from '../../core/stream/stream.ts';
import { hasValues } from '../../core/text/sqlText.ts';
import { secondsOf, timestampOf } from '../../transform/bucketTime.ts';
import type { HeldQuery, ReadContext } from './partitionContext.ts';

/** Where a sync begins, and what becomes durable of what it reaches. */
interface Beginning {
  readonly position: Position;
  durable(reached: Position): Position;
}

/** Gives where to begin below a cursor, where the warehouse holds no row that is too old; null for all that there is. */
export type BeginElsewhere = (stream: PagedStream, partition: Partition, cursor: number) => Promise<number | null>;

/**
 * Where a sync begins that looks back below its checkpoint, as far as the partition's `lookback` says. The way back is measured by rows that are
 * held: what lies right behind the newest one that is too old is read again, and where none is, all.
 *
 * @param elsewhere is asked where the warehouse holds a part of the rows only
 */
export async function lookBack(
  stream: PagedStream,
  { warehouse, partition }: ReadContext,
  saved: Position,
  elsewhere?: BeginElsewhere,
): Promise<Beginning> {
  const { looksBack } = stream;
  if (!looksBack) throw new TypeError(`${stream.id} cannot look back`);
  const begins = new Map<number, number | null>();
  for (const cursor of cursorsOf(stream, saved)) {
    const { begin, lowest } = await heldBelow(stream, partition, cursor, warehouse.query);
    const all = elsewhere ?? (() => beginOfAll(stream, warehouse, cursor, lowest));
    begins.set(cursor, begin ?? (await all(stream, partition, cursor)));
  }
  return {
    position: looksBack.moved(saved, (cursor) => begins.get(cursor) ?? null),
    durable: (reached) => looksBack.notBelow(reached, saved),
  };
}

/** The cursors of a position. */
export function cursorsOf({ looksBack }: PagedStream, position: Position): ReadonlySet<number> {
  const cursors = new Set<number>();
  looksBack?.moved(position, (cursor) => {
    cursors.add(cursor);
    return cursor;
  });
  return cursors;
}

/** Where to begin below a cursor that is to read all again: not below what is held where older rows were dropped; null for all that there is. */
export const beginOfAll = async (
  stream: PagedStream,
  warehouse: Pick<ReadContext['warehouse'], 'query'>,
  cursor: number,
  lowest: number | null,
): Promise<number | null> => ((await wasDropped(warehouse, stream)) ? (lowest ?? cursor) : null);

/** Whether rows of the stream were dropped because of their age: of these nothing is wanted back. */
export async function wasDropped(
  { query }: Pick<ReadContext['warehouse'], 'query'>,
  { table }: Pick<PagedStream, 'table'>,
): Promise<boolean> {
  return (await query(`SELECT 1 FROM firn.dropped WHERE "table" = '${table.name}' LIMIT 1`)).length > 0;
}

/** The column of a stream's cursors as SQL compares it, and how a cursor is written there: both in words of every engine. */
export function placeOf({ table, looksBack }: PagedStream) {
  const name = looksBack?.cursor;
  const isTime = holdsTimes(table, name);
  return isTime
    ? {
        place: `date_trunc('second', "${name}")`,
        at: (cursor: number) => `TIMESTAMP '${timestampOf(cursor)}'`,
        cursor: secondsOf,
      }
    : { place: `"${name}"`, at: (cursor: number) => String(BigInt(cursor)), cursor: Number };
}

/**
 * Cursors of the newest held row that lies below all of the last `lookback` seconds before a cursor, and of the oldest row; null where there is none.
 *
 * @param query gives rows that are held, here or elsewhere
 */
export async function heldBelow(
  stream: PagedStream,
  { values, lookback = 0 }: Pick<Partition, 'values' | 'lookback'>,
  cursor: number,
  query: HeldQuery,
): Promise<{ readonly begin: number | null; readonly lowest: number | null }> {
  const { place, at, cursor: cursorOf } = placeOf(stream);
  const [row] = await query<{ begin: string | null; lowest: string | null }>(
    `WITH held AS (
       SELECT ${place} AS place, "${timeOf(stream)}" AS moment FROM ${stream.table.name} WHERE ${hasValues(values)} AND ${place} <= ${at(cursor)}
     ), span AS (
       SELECT min(place) AS since FROM held WHERE moment >= (SELECT max(moment) FROM held) - INTERVAL '${lookback}' SECOND
     )
     SELECT CAST(max(CASE WHEN place < since THEN place END) AS VARCHAR) AS "begin", CAST(min(place) AS VARCHAR) AS lowest
     FROM held CROSS JOIN span`,
    values,
  );
  const read = (text: string | null | undefined) => (text ? cursorOf(text) : null);
  return { begin: read(row?.begin), lowest: read(row?.lowest) };
}
