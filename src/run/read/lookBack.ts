import { type PagedStream, type Position, timeOf } from '../../core/stream.ts';
import type { ReadContext } from './partitionContext.ts';

/** Where a sync begins, and what becomes durable of what it reaches. */
interface Beginning {
  readonly position: Position;
  durable(reached: Position): Position;
}

/**
 * Where a sync begins that looks back below its checkpoint, as far as the partition's `lookback` says. The way back is measured by rows that are
 * held: what lies right behind the newest one that is too old is read again, and where none is, all.
 */
export async function lookBack(stream: PagedStream, context: ReadContext, saved: Position): Promise<Beginning> {
  const { looksBack } = stream;
  if (!looksBack) throw new TypeError(`${stream.id} cannot look back`);
  const begins = new Map<number, number | null>();
  looksBack.moved(saved, (cursor) => {
    begins.set(cursor, null);
    return cursor;
  });
  for (const cursor of begins.keys()) begins.set(cursor, await tooOld(stream, context, cursor));
  return {
    position: looksBack.moved(saved, (cursor) => begins.get(cursor) ?? null),
    durable: (reached) => looksBack.notBelow(reached, saved),
  };
}

/**
 * Cursor of the newest held row that lies below all of the last `lookback` seconds before a cursor, null where there is none. Of what was
 * dropped because of its age nothing is wanted back: then it is the oldest row's, or the cursor itself.
 */
async function tooOld(
  { table, looksBack, ...stream }: PagedStream,
  { warehouse, partition }: ReadContext,
  cursor: number,
): Promise<number | null> {
  const name = looksBack?.cursor;
  const isTime = table.columns.find((column) => column.name === name)?.type === 'timestamp';
  const place = isTime ? `floor(epoch("${name}"))` : `"${name}"::DOUBLE`;
  const values = Object.entries(partition.values);
  const [row] = await warehouse.query<{ begin: number | null }>(
    `WITH held AS (
       SELECT ${place} AS place, epoch("${timeOf(stream)}") AS seconds
       FROM ${table.name} WHERE ${values.map(([column], i) => `"${column}" = $${i + 2} AND `).join('')}${place} <= $1
     ), span AS (
       SELECT min(place) AS first FROM held WHERE seconds >= (SELECT max(seconds) FROM held) - ${partition.lookback}
     )
     SELECT coalesce(
       max(place) FILTER (place < (SELECT first FROM span)),
       CASE WHEN EXISTS (FROM firn.dropped WHERE "table" = '${table.name}') THEN coalesce(min(place), $1) END
     ) AS begin FROM held`,
    [cursor, ...values.map(([, value]) => value)],
  );
  return row?.begin ?? null;
}
