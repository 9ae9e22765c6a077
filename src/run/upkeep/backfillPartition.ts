import { FirnError } from '../../core/firnError.ts';
import { type Bound, findHeight, parseBound } from '../../core/heights/findHeight.ts';
import { backfilled } from '../../core/paging/readBetween.ts';
import { checkpointKeyOf } from '../../core/stream/checkpointKey.ts';
import { type Position, partitionKey } from '../../core/stream/partition.ts';
import type { Between, PagedStream, RangeStream, Stream } from '../../core/stream/stream.ts';
import { ofPartition } from '../../core/text/sqlText.ts';
import { begunBy, lowerBegun } from '../../load/commit/begun.ts';
import { endBeside, readCheckpoint } from '../../load/commit/checkpoints.ts';
import { assertHolds, type LastRow } from '../read/lookAtRange.ts';
import { wasDropped } from '../read/lookBack.ts';
import type { ReadContext } from '../read/partitionContext.ts';
import { type RangePosition, takenInPart } from '../read/rangePosition.ts';
import { readPages } from '../read/readPages.ts';
import { readPositions } from '../read/readPositions.ts';
import { answer } from '../sources/drive.ts';
import {
  type At,
  assertWasRead,
  type BackfillPlace,
  type DaysAgain,
  dayOf,
  firstRead,
  type Main,
  settled,
} from './backfillFloor.ts';

/** What to read beside what is new: rows below a partition's first one, from a bound on, or days again. */
export type BackfillRequest = { readonly from: string } | { readonly again: DaysAgain };

/** Durable state of a backfill under way. `at` is how far its own paging came. */
type Work = {
  /** What the user asked for, to know the same backfill again. */
  readonly asked: string;
  readonly to: Bound | null;
  readonly at: Position | null;
};

/** How far a backfill of positions came, and the first one of which it took only a part. */
type RangeAt = { readonly next: number; readonly last: number; readonly partFrom?: number };

/** Whether a cluster can read them so: its lake takes values that are kept with their changes once. */
export const canBackfillLake = (stream: Stream): boolean => canBackfill(stream) && !stream.revisions;

/** Streams that can be read between bounds: the others are read whole at every run, or key by key. */
export const canBackfill = (
  stream: Stream,
): stream is (RangeStream & Required<Pick<RangeStream, 'timeAt'>>) | PagedStream =>
  stream.way === 'range' ? stream.timeAt !== undefined : 'between' in stream && stream.between !== undefined;

/**
 * Reads what a backfill asks for of one partition. It has a checkpoint of its own beside the partition's, so that it is
 * resumed where it was interrupted, whatever was synced in between; a backfill that was asked for something else is ended first.
 *
 * @throws FirnError `not_offered` for a stream without bounds · `usage` for a partition that was never read, or a bound of the wrong kind
 */
export async function backfillPartition(
  stream: Stream,
  context: ReadContext,
  request: BackfillRequest,
  place: BackfillPlace = placeOf(stream, context),
): Promise<void> {
  const { warehouse, partition, signal } = context;
  const key = partitionKey(partition);
  if (!canBackfill(stream))
    throw new FirnError('not_offered', `${stream.id} is read whole at every run: there is nothing to read again.`);
  const main = await readCheckpoint<Main>(warehouse, stream.id, key);
  // Of an index that holds nothing yet there is nothing to read again.
  if (main === null && stream.way === 'range' && (await answer(stream.head(partition), context.fetch)) === null) return;
  // Without its checkpoint it is not known how far positions were read: nothing would be, and that would be taken for the end.
  if (main === null && (stream.way === 'range' || !(await place.wasRead()))) throw notRead(stream, place);
  const isAgain = 'again' in request;
  const asked = isAgain ? `${request.again.first}..${request.again.last}` : request.from;
  const checkpointKey = checkpointKeyOf(key, besideOf(request));
  const at = { stream, context, place, main };
  if (isAgain) await assertWasRead(at, request.again, asked);
  else if (await wasDropped(warehouse, stream)) {
    context.note?.(
      `Rows of it were dropped because of their age. ${settled} Where "keep" is set, old rows that are read now go again.`,
    );
  }
  for (;;) {
    const open = await readCheckpoint<Work>(warehouse, stream.id, checkpointKey);
    if (open && open.asked !== asked)
      context.note?.(`A backfill from ${open.asked} on was interrupted: it is read to its end first.`);
    const work = open ?? {
      asked,
      to: isAgain ? daysOf(request.again).to : await firstRead(at, place.ofOwn),
      at: null,
    };
    const from: Bound = isAgain ? daysOf(request.again).from : boundOf(work.asked);
    const beside = { checkpointKey, rewrite: isAgain };
    const done = await readWork(stream, { ...context, beside }, { main, work, open, from, place });
    if (signal.aborted) return;
    await place.end({
      key,
      beside: checkpointKey,
      own: (position) => (done ? joined(stream, context, position, done, isAgain) : position),
      from: isAgain ? undefined : await noteOf(at, work.asked, done !== null),
    });
    if (work.asked === asked) return;
  }
}

function notRead({ way }: Stream, { reads }: BackfillPlace): FirnError {
  const where =
    way === 'range' ? ' Where it says that the source ends before "from", set an earlier one in firn.yaml.' : '';
  return new FirnError('usage', `It was not read yet. Run "${reads}" first: a backfill joins what it reads.${where}`);
}

/** Where a partition stands once a backfill has come to its end; null where it had no rows before, and needs to know nothing of it. */
function joined(
  stream: RangeStream | PagedStream,
  { partition }: Pick<ReadContext, 'partition'>,
  main: Position | null,
  done: Position,
  isAgain: boolean,
): Position | null {
  if (stream.way === 'range') return main && takenInPart(main as RangePosition, (done as RangeAt).partFrom);
  if (isAgain) return main;
  const own = stream.backfilled ?? (stream.way === 'newestFirst' ? backfilled : undefined);
  return own?.(main, done, partition) ?? main;
}

/**
 * From where on a partition was read once a backfill has come to its end, where that is to be noted. Where nothing is noted, and nothing was read, it
 * may have been asked for what an earlier version read.
 *
 * @param asked the bound it was asked for · @param isRead whether anything lay there
 */
export async function noteOf(
  { context, place, main }: Pick<At, 'context' | 'place' | 'main'>,
  asked: string,
  isRead: boolean,
): Promise<string | undefined> {
  const begun = (await place.begun()) ?? (main ? begunBy(main) : undefined);
  return begun === undefined && !isRead ? undefined : lowerBegun(asked, begun, context.wanted, context.now());
}

/** The name of a backfill beside its partition. */
export const besideOf = (request: BackfillRequest): string =>
  'again' in request ? `again ${request.again.first}..${request.again.last}` : 'backfill';

function placeOf({ id }: Stream, { warehouse, partition }: ReadContext): BackfillPlace {
  const key = partitionKey(partition);
  const loads = `FROM firn.load WHERE ${ofPartition(id, key)}`;
  return {
    reads: 'firn sync',
    ofOwn: `_load_id IN (SELECT load_id ${loads})`,
    wasRead: async () => (await warehouse.query(`SELECT 1 AS one ${loads} LIMIT 1`)).length > 0,
    begun: async () =>
      (await warehouse.query<{ from: string }>(`SELECT "from" FROM firn.begun WHERE ${ofPartition(id, key)}`))[0]?.from,
    query: (sql, values) => warehouse.query(sql, values),
    end: (of) => endBeside(warehouse, id, of),
  };
}

interface Reading {
  readonly main: Main | null;
  readonly work: Work;
  /** The durable state; null at the beginning. */
  readonly open: Work | null;
  readonly from: Bound;
  readonly place: BackfillPlace;
}

/** Reads to the end of the work; gives how far paging came. */
async function readWork(
  stream: RangeStream | PagedStream,
  context: ReadContext,
  { main, work, open, from, place }: Reading,
): Promise<Position | null> {
  let at = work.at;
  const durable = (position: Position): Position => {
    at = position;
    return { ...work, at: position };
  };
  if (stream.way === 'range') {
    const isAgain = context.beside?.rewrite === true;
    const bounds = await positionsOf({ stream, context, place, main }, { from, to: work.to }, isAgain);
    const { next: first, last, ...before } = (work.at as RangeAt | null) ?? { next: bounds.first, last: bounds.last };
    // Kept with every batch: the settings may be others when the rest is read.
    const part = stream.takesPart?.(context.partition) ? { partFrom: first, ...before } : before;
    const reached = (next: number) => durable({ next, last, ...part });
    await readPositions(stream, context, { saved: open, first, last, durable: reached });
    return at;
  }
  const window = { position: work.at, now: context.now(), brackets: context.brackets };
  const pages = stream.between?.(context.partition, { from, to: work.to }, window);
  if (pages) await readPages(stream, context, { saved: open, pages, durable });
  return at;
}

/** The positions that bounds mean, no further than what was read: a sync reads those behind. @param rowAt as `assertHolds` takes it */
export async function positionsOf(
  at: At & { readonly stream: RangeStream },
  { from, to }: Between,
  isAgain: boolean,
  rowAt?: LastRow,
): Promise<{ first: number; last: number }> {
  const { stream, context, main } = at;
  const { partition, fetch } = context;
  const next = main?.next ?? 0;
  const head = await answer(stream.head(partition), fetch);
  if (head === null || next === 0) return { first: next, last: next - 1 };
  await assertHolds(stream, context, next - 1, rowAt);
  const timeAt = (position: number) => {
    if (stream.timeAt) return stream.timeAt(partition, position);
    throw new TypeError(`${stream.id} knows no times`);
  };
  const floor = await firstRead(at);
  const { brackets } = context;
  const begin = await answer(findHeight(from, head, timeAt, { brackets }), fetch);
  // A day that begins before the first row is read from that row on.
  const first = isAgain && floor && 'height' in floor ? Math.max(begin, floor.height) : begin;
  const end = to === null ? next : await answer(findHeight(to, head, timeAt, { lowest: first, brackets }), fetch);
  return { first, last: Math.min(end, next) - 1 };
}

/** @throws FirnError `usage` */
export function boundOf(asked: string): Bound {
  try {
    return parseBound(asked);
  } catch (error) {
    throw error instanceof FirnError ? new FirnError('usage', `--from ${error.message}`) : error;
  }
}

/** The bounds of days. */
export const daysOf = ({ first, last }: DaysAgain) => ({
  from: { time: dayOf(first) },
  to: { time: dayOf(last) + 86_400 },
});
