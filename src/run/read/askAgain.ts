import type { ParsedPage } from '../../core/parse/parseRecords.ts';
import { partitionKey } from '../../core/stream/partition.ts';
import type { Keeps, RangeStream } from '../../core/stream/stream.ts';
import { hasValues, literal } from '../../core/text/sqlText.ts';
import { commitBeside } from './commitBeside.ts';
import { createBatchBuilder } from './committer.ts';
import type { ReadContext } from './partitionContext.ts';
import type { RangePosition } from './rangePosition.ts';
import { type RowsAt, readLinked, rowsInWarehouse } from './readLinked.ts';

/** Positions asked for again in one run, in how many of its runs each, and how often at once: of several nodes behind one URL the next one may answer. */
export const mostAtOnce = 32;
export const mostRuns = 5;
const timesAtOnce = 3;

/** Positions in a row that bring nothing new, after which the rest waits for the next run: a source that lacks them all is not asked for each. */
const mostInVain = 4;

/** Where rows are held that are asked for again. */
export interface HeldLacking {
  /** Those without all of what is kept that are to be asked for now. */
  lacking(keeps: Keeps): Promise<readonly Lacking[]>;
  readonly rowsAt: RowsAt;
  /** Whether what is read takes the place of what is held as it is: less of anything would be lost. */
  readonly replaces: boolean;
}

/**
 * Asks again for what an earlier run read without what the stream `keeps`, because the source failed to give it: another node may have it. Others
 * each time, so that all have their turn; what came of each is noted.
 *
 * @param saved the checkpoint, which stays
 * @param held default: the warehouse
 */
export async function askAgain(
  stream: RangeStream,
  context: ReadContext,
  saved: RangePosition,
  held: HeldLacking = inWarehouse(stream, context, saved),
): Promise<void> {
  const { keeps } = stream;
  if (!keeps?.again || stream.takesPart?.(context.partition)) return;
  let inVain = 0;
  for (const lacking of await held.lacking(keeps)) {
    if (context.signal.aborted || inVain === mostInVain) return;
    inVain = (await askFor(stream, keeps, context, { saved, lacking, held })) ? 0 : inVain + 1;
  }
}

const inWarehouse = (stream: RangeStream, context: ReadContext, saved: RangePosition): HeldLacking => ({
  lacking: (keeps) => lackingRows(stream, keeps, context, saved),
  rowsAt: rowsInWarehouse,
  replaces: false,
});

/** A row without all of what is kept. */
export type Lacking = {
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
  const table = children[told]?.table.name;
  return warehouse.query<Lacking>(
    `WITH
       own AS NOT MATERIALIZED (SELECT "${position}" AS "at", "${column}" AS said FROM ${table} WHERE ${hasValues(partition.values)}),
       lacking AS (SELECT DISTINCT "at" FROM own WHERE said = ${literal(again ?? '')} AND "at" < ${next}),
       asked AS (SELECT "key", outcome FROM firn.lookup WHERE stream = $firn_stream AND "partition" = $firn_partition)
     SELECT l."at", a.outcome AS asked, (SELECT count(*) FROM own AS o WHERE o."at" = l."at" AND o.said = ${literal(is)}) AS there
     FROM lacking AS l LEFT JOIN asked AS a ON a."key" = CAST(l."at" AS VARCHAR)
     WHERE coalesce(CAST(a.outcome AS INTEGER), 0) < ${mostRuns}
     ORDER BY hash(l."at", $firn_run) LIMIT ${mostAtOnce}`,
    { ...partition.values, firn_stream: id, firn_partition: partitionKey(partition), firn_run: runId },
  );
}

/** @returns whether more of it is there now */
async function askFor(
  stream: RangeStream,
  keeps: Keeps,
  context: ReadContext,
  { saved, lacking, held }: { readonly saved: RangePosition; readonly lacking: Lacking; readonly held: HeldLacking },
): Promise<boolean> {
  const { at, there, asked } = lacking;
  const found = await readMore(stream, keeps, context, { at: Number(at), there: Number(there), ...held });
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
  { at, there, rowsAt, replaces }: Omit<HeldLacking, 'lacking'> & { readonly at: number; readonly there: number },
) {
  const [held] = await rowsAt(stream, context, [at]);
  for (let time = 0; held && time < timesAtOnce; time++) {
    // What this read says of its source is of what is new.
    const read = await readLinked(stream, { ...context, state: stream.state?.() }, at, rowsAt);
    if (!read || !sameAs(held[keeps.sameBy], read.page, keeps)) continue;
    const { all, is } = countOf(read.page, keeps);
    if (is > there && (!replaces || is === all)) return read;
  }
  return undefined;
}

/** Whether a page is the one row that is held. */
const sameAs = (value: unknown, { set: { own } }: ParsedPage, { sameBy }: Keeps) =>
  own.length === 1 && own.value(own.named(sameBy), 0) === value;

/** How many rows of a page tell of what is kept, and how many say that it was read. */
function countOf({ set }: ParsedPage, { told, column, is }: Keeps): { readonly all: number; readonly is: number } {
  const rows = set.children[told];
  if (!rows) return { all: 0, is: 0 };
  const says = rows.named(column);
  const said = Array.from({ length: rows.length }, (_, row) => rows.value(says, row));
  return { all: rows.length, is: said.filter((one) => one === is).length };
}
