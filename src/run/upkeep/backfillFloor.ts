import { holdsTimes } from '../../core/columns/holdsTimes.ts';
import { FirnError } from '../../core/firnError.ts';
import { type Bound, parseBound } from '../../core/heights/findHeight.ts';
import { isBefore } from '../../core/heights/isBefore.ts';
import type { NewestFirstPosition } from '../../core/paging/newestFirst.ts';
import { type Stream, timeOf } from '../../core/stream/stream.ts';
import { hasValues } from '../../core/text/sqlText.ts';
import type { EndBeside } from '../../load/commit/checkpoints.ts';
import { secondsOf } from '../../transform/bucketTime.ts';
import { wasDropped } from '../read/lookBack.ts';
import type { HeldQuery, ReadContext } from '../read/partitionContext.ts';
import type { RangePosition } from '../read/rangePosition.ts';
import { answer } from '../sources/drive.ts';

/** YYYY-MM-DD, both included. */
export interface DaysAgain {
  readonly first: string;
  readonly last: string;
}

/** How far a partition was read, whichever way. */
export type Main = Partial<RangePosition> & NewestFirstPosition;

/** A partition as a backfill finds it. */
export interface At {
  readonly stream: Stream;
  readonly context: ReadContext;
  readonly place: BackfillPlace;
  readonly main: Main | null;
}

/** Where a backfill's rows and checkpoints go. */
export interface BackfillPlace {
  /** The command that reads what is new there. */
  readonly reads: 'firn sync' | 'firn worker';
  /** A partition that was read and had no rows has loads, but no checkpoint. */
  wasRead(): Promise<boolean>;
  /** Condition on rows that the partition itself brought: another one with filters may have brought rows with the same values. */
  readonly ofOwn?: string;
  /** From where on the partition was read, where that is noted. */
  begun(): Promise<string | undefined>;
  /** Rows of a SELECT over the stream's tables; values by name. */
  readonly query: HeldQuery;
  /** Ends the backfill, as `endBeside` says. */
  end(of: EndBeside): Promise<void>;
}

/** What to say of rows that were dropped because of their age. */
export const settled =
  'What was computed of dropped rows is settled: to read them and compute it again, begin a new warehouse.';

/** Days below the first row would be an island: the rows between would never be read. */
export async function assertWasRead(at: At, { first, last }: DaysAgain, asked: string): Promise<void> {
  const { stream, context } = at;
  const floor = await firstRead(at);
  // Nothing but a genesis lies below.
  if (stream.way === 'range' && floor && 'height' in floor && floor.height <= 1) return;
  const isDropped = await wasDropped(context.warehouse, stream);
  const read = await timeOfBound(at, floor);
  const kept = isDropped && stream.way !== 'range' ? await keptFrom(at) : null;
  const begins = read === null || kept === null ? (read ?? kept) : Math.max(read, kept);
  if (begins === null || dayOf(first) + 86_400 > begins) return;
  if (!isDropped && (dayOf(last) + 86_400 > begins || (await wasBegunBy(at, first)))) return;
  const since = `${new Date(begins * 1000).toISOString().slice(0, 10)} on, so ${asked} cannot be read again`;
  throw new FirnError(
    'usage',
    isDropped
      ? `It is held from ${since}: older rows were dropped because of their age. ${settled}`
      : `It was read from ${since}. Read earlier rows with "firn backfill --from".`,
  );
}

/** The time of a bound, Unix seconds; null where none tells it. */
async function timeOfBound({ stream, context }: At, bound: Bound | null): Promise<number | null> {
  if (bound && 'time' in bound) return bound.time;
  if (!bound || !('height' in bound) || stream.way !== 'range' || !stream.timeAt) return null;
  return answer(stream.timeAt(context.partition, bound.height), context.fetch);
}

/** From where on rows of a list were not dropped because of their age, Unix seconds; null where that is not known. Its newest month stays, however old it is. */
async function keptFrom({ stream, context: { warehouse, partition }, place }: At): Promise<number | null> {
  const time = timeOf(stream);
  if (time === undefined) return null;
  const { name } = stream.table;
  const rows = [
    ...(await place.query<{ kept: string | null }>(
      `SELECT CAST(min("${time}") AS VARCHAR) AS kept FROM ${name} WHERE ${hasValues(partition.values)}`,
      partition.values,
    )),
    ...(await warehouse.query<{ kept: string | null }>(
      `SELECT CAST(max("before") AS VARCHAR) AS kept FROM firn.dropped WHERE "table" = '${name}'`,
    )),
  ];
  return Math.min(...rows.flatMap(({ kept }) => (kept === null ? [] : [Math.floor(secondsOf(kept))])));
}

/** Whether a list was read from a day on, or from further below: it has no rows there, or had none. */
async function wasBegunBy({ stream, place }: At, day: string): Promise<boolean> {
  if (stream.way === 'range') return false;
  const begun = await place.begun();
  return begun !== undefined && isBefore({ time: dayOf(day) }, parseBound(begun)) === false;
}

/**
 * Where the rows of a partition begin, as far as it is known: a backfill reads those below; null where everything must be asked for.
 *
 * @param which condition on its rows
 */
export async function firstRead(
  { stream, context: { partition }, place, main }: At,
  which = 'true',
): Promise<Bound | null> {
  if (stream.way === 'newestFirst' && main) {
    const { since, cursor } = main;
    if (since?.height !== undefined) return { height: since.height };
    if (since?.time !== undefined) return { time: since.time };
    // The first read has not met its floor yet, or there is no floor.
    if (cursor === undefined && 'reading' in main)
      throw new FirnError(
        'usage',
        `It is still in its first read. Run "${place.reads}" until it is done, then backfill.`,
      );
  }
  // Rows of partitions with filters share their table with others.
  if (!stream.table.range || Object.keys(partition.filters ?? {}).length > 0) return null;
  const isTime = holdsTimes(stream.table, stream.table.range);
  const range = `"${stream.table.range}"`;
  const where = `${hasValues(partition.values)} AND ${which}`;
  const sql = `SELECT CAST(min(${range}) AS VARCHAR) AS lowest FROM ${stream.table.name} WHERE ${where}`;
  const [row] = await place.query<{ lowest: string | null }>(sql, partition.values);
  if (row?.lowest === null || row?.lowest === undefined) return null;
  return isTime ? { time: Math.floor(secondsOf(row.lowest)) } : { height: Number(row.lowest) };
}

/** Unix seconds at which a day begins. */
export const dayOf = (date: string) => Date.parse(`${date}T00:00:00Z`) / 1000;
