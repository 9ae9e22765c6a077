import type { ParsedPage } from '../../core/parse/parseRecords.ts';
import { type Keeps, partitionKey, type RangeStream } from '../../core/stream/stream.ts';
import { literal } from '../../core/text/sqlText.ts';
import { commitBeside } from './commitBeside.ts';
import { createBatchBuilder } from './committer.ts';
import type { ReadContext } from './partitionContext.ts';
import { readLinked, rowsInWarehouse } from './readLinked.ts';
import type { RangePosition } from './readRange.ts';

/** Positions asked for again in one run, in how many of its runs each, and how often at once: of several nodes behind one URL the next one may answer. */
const mostAtOnce = 32;
const mostRuns = 5;
const timesAtOnce = 3;

/** Positions in a row that bring nothing new, after which the rest waits for the next run: a source that lacks them all is not asked for each. */
const mostInVain = 4;

/**
 * Asks again for what an earlier run read without what the stream `keeps`, because the source failed to give it: another node may have it. Others
 * each time, so that all have their turn; what came of each is noted.
 *
 * @param saved the checkpoint, which stays
 */
export async function askAgain(stream: RangeStream, context: ReadContext, saved: RangePosition): Promise<void> {
  const { keeps } = stream;
  if (!keeps?.again || stream.takesPart?.(context.partition)) return;
  let inVain = 0;
  for (const lacking of await lackingRows(stream, keeps, context, saved)) {
    if (context.signal.aborted || inVain === mostInVain) return;
    inVain = (await askFor(stream, keeps, context, saved, lacking)) ? 0 : inVain + 1;
  }
}

/** A row without all of what is kept. */
type Lacking = {
  readonly at: bigint;
  /** Rows of `keeps.told` that say that it was read. */
  readonly there: bigint;
  /** Runs that asked again. */
  readonly asked: string | null;
};

function lackingRows(
  { id, position, children }: RangeStream,
  { told, column, is, again }: Keeps,
  { warehouse, partition, runId }: ReadContext,
  { next }: RangePosition,
): Promise<Lacking[]> {
  const own = Object.entries(partition.values).map(([name, value]) => `"${name}" = ${literal(value)}`);
  const table = children[told]?.table.name;
  return warehouse.query<Lacking>(
    `WITH
       own AS NOT MATERIALIZED (SELECT "${position}" AS "at", "${column}" AS said FROM ${table} WHERE ${own.join(' AND ')}),
       lacking AS (SELECT DISTINCT "at" FROM own WHERE said = ${literal(again ?? '')} AND "at" < ${next}),
       asked AS (SELECT "key", outcome FROM firn.lookup WHERE stream = $1 AND "partition" = $2)
     SELECT l."at", a.outcome AS asked, (SELECT count(*) FROM own AS o WHERE o."at" = l."at" AND o.said = ${literal(is)}) AS there
     FROM lacking AS l LEFT JOIN asked AS a ON a."key" = CAST(l."at" AS VARCHAR)
     WHERE coalesce(CAST(a.outcome AS INTEGER), 0) < ${mostRuns}
     ORDER BY hash(l."at", $3) LIMIT ${mostAtOnce}`,
    [id, partitionKey(partition), runId],
  );
}

/** @returns whether more of it is there now */
async function askFor(
  stream: RangeStream,
  keeps: Keeps,
  context: ReadContext,
  saved: RangePosition,
  { at, there, asked }: Lacking,
): Promise<boolean> {
  const found = await readMore(stream, keeps, context, { at: Number(at), there: Number(there) });
  const builder = createBatchBuilder();
  if (found) builder.add(found.page, found.page.set.own.length, found.from);
  builder.noteLookup({ key: String(at), outcome: String(Number(asked ?? 0) + 1), isAgain: asked !== null });
  await commitBeside(stream, context, builder.build(), { from: saved, to: saved });
  return found !== undefined;
}

/** The row as it is held, with more of what is kept; undefined where there is no more of it. */
async function readMore(
  stream: RangeStream,
  keeps: Keeps,
  context: ReadContext,
  { at, there }: { readonly at: number; readonly there: number },
) {
  const [held] = await rowsInWarehouse(stream, context, [at]);
  for (let time = 0; held && time < timesAtOnce && !context.signal.aborted; time++) {
    // What this read says of its source is of what is new.
    const read = await readLinked(stream, { ...context, state: stream.state?.() }, at, rowsInWarehouse);
    if (read && sameAs(held[keeps.sameBy], read.page, keeps) && countOf(read.page, keeps) > there) return read;
  }
  return undefined;
}

/** Whether a page is the one row that is held. */
const sameAs = (value: unknown, { set: { own } }: ParsedPage, { sameBy }: Keeps) =>
  own.length === 1 && own.value(own.named(sameBy), 0) === value;

/** How many rows of a page say that what is kept was read. */
function countOf({ set }: ParsedPage, { told, column, is }: Keeps): number {
  const rows = set.children[told];
  if (!rows) return 0;
  const says = rows.named(column);
  return Array.from({ length: rows.length }, (_, row) => rows.value(says, row)).filter((said) => said === is).length;
}
