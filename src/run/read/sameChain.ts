import { FirnError, hasCode } from '../../core/firnError.ts';
import type { Rows } from '../../core/rows/rows.ts';
import type { ChainOfRows } from '../../core/stream/chainOfRows.ts';
import type { Partition } from '../../core/stream/partition.ts';
import { type PagedStream, type Stream, timeOf } from '../../core/stream/stream.ts';
import { differ } from '../../core/text/differ.ts';
import { hasValues } from '../../core/text/sqlText.ts';
import { secondsOf } from '../../transform/bucketTime.ts';
import { answer } from '../sources/drive.ts';
import type { HeldQuery, ListContext, SameChain } from './partitionContext.ts';

/** A transaction of a list, by which its chain is known. */
interface Listed {
  readonly height: number;
  /** Unix seconds. */
  readonly time: number;
  /** Null where the source does not say it. */
  readonly block: string | null;
  readonly transaction: string;
}

/** Heights that are compared with what is held, and how many of them must be other blocks where none is the same. */
const mostCompared = 32;
const certainFrom = 4;

/** Rows below checkpoints that are remembered of a chain. */
const mostPassed = 1000;

/**
 * Judges once a run for each chain and table: by the first batch that is to be written.
 *
 * @param elsewhere are asked of a chain of which the warehouse holds no row, one after the other, where that may be
 */
export function createSameChain(elsewhere: readonly HeldQuery[] = []): SameChain {
  const judged = new Map<string, Promise<boolean>>();
  const passed = new Map<string, Listed[]>();
  const others: { readonly stream: Chained; readonly values: Partition['values']; readonly error: FirnError }[] = [];
  const keyOf = ({ id, chainOfRows }: Chained, { values }: Partition) =>
    [id, ...chainOfRows.by.map((name) => values[name])].join(' ');
  return {
    passed(stream, partition, rows, first) {
      if (!isChained(stream)) return;
      const key = keyOf(stream, partition);
      const before = passed.get(key) ?? [];
      if (judged.has(key) || before.length >= mostPassed) return;
      passed.set(key, [...before, ...listedIn(stream, rows, first)]);
    },
    refusal(stream, { values }) {
      if (isChained(stream)) return undefined;
      const found = others.find(
        (other) => other.stream.source === stream.source && isOfChain(other.stream, other.values, values),
      );
      return found && notTaken(found.error);
    },
    async assert(stream, reading, sets) {
      if (!isChained(stream) || sets.length === 0) return;
      const key = keyOf(stream, reading.partition);
      const known = judged.get(key);
      if (known && (await known)) return;
      const listed = () => [...sets.flatMap(({ own }) => listedIn(stream, own)), ...(passed.get(key) ?? [])];
      const judging = judge(stream, reading, listed, elsewhere);
      judged.set(key, judging);
      try {
        if (!(await judging)) judged.delete(key);
      } catch (error) {
        if (hasCode(error, 'source_shrank')) others.push({ stream, values: reading.partition.values, error });
        // Nothing was found out: the next batch is judged.
        else judged.delete(key);
        throw error;
      } finally {
        passed.delete(key);
      }
    },
  };
}

/** Whether the rows of a stream tell of which chain they are. */
export const isChained = (stream: Stream): stream is Chained =>
  (stream as Partial<PagedStream>).chainOfRows !== undefined;

export type Chained = PagedStream & Required<Pick<PagedStream, 'chainOfRows'>>;

/** Whether a partition, as far as its values say it, is of the same chain as one of a stream whose rows tell theirs. */
export function isOfChain({ chainOfRows }: Chained, own: Partition['values'], values: Partition['values']): boolean {
  const shared = chainOfRows.by.filter((name) => name in values);
  return shared.length > 0 && shared.every((name) => values[name] === own[name]);
}

/** The error of a list of which nothing is taken because of what another list of its chain was refused for. */
export const notTaken = ({ code, message }: FirnError): FirnError =>
  new FirnError(code, `Nothing was taken of this list: ${message}`);

/**
 * What was read last comes again with what is new, so that nearly always one row tells. Where the batch holds none that is held (a list that has
 * grown much, an address that is new), the source is asked for transactions that are.
 *
 * @returns false where none of the rows has a place, so that nothing is known yet
 * @throws FirnError `source_shrank` where it is certain that they are of another chain: several of its blocks are others and none is the same, or
 *   nothing that was asked for is there, while the source has what it lists now, which is newer
 */
async function judge(
  stream: Chained,
  reading: ListContext,
  rows: () => readonly Listed[],
  elsewhere: readonly HeldQuery[],
): Promise<boolean> {
  const { chainOfRows } = stream;
  const found = await firstHeld(stream, reading.partition, [reading.warehouse.query, ...elsewhere]);
  if (!found) return true;
  const { held, newest } = found;
  const listed = rows();
  if (listed.length === 0) return false;
  const compared = spread(listed.filter(({ height }) => height <= newest.height));
  // No block has this height: the list must not be empty.
  const before = await held(`"${chainOfRows.height}" IN (${[0, ...compared.map(({ height }) => height)].join(', ')})`);
  const isSame = (one: Listed) =>
    before.some((row) =>
      row.transaction === one.transaction
        ? isOf(chainOfRows, row, one)
        : row.height === one.height && isEqual(row, one),
    );
  const isApart = (one: Listed) => {
    const there = before.filter(({ height }) => height === one.height);
    return there.some((row) => differ(row.block, one.block)) && !there.some((row) => isEqual(row, one));
  };
  const apart = compared.filter(isApart);
  const [first] = apart;
  const { name, drop } = textsOf(stream, reading.partition);
  if (!compared.some(isSame)) {
    if (first && new Set(apart.map(({ height }) => height)).size >= certainFrom)
      throw otherChain(
        `${name}: block ${first.height} is ${first.block} now, and others are not what they were either`,
        drop,
      );
    if (await isGone(chainOfRows, reading, listed, await witnesses(held, chainOfRows, newest)))
      throw otherChain(
        `${name}: transaction ${newest.transaction} of block ${newest.height} is not there any more, nor is any other that was asked for`,
        drop,
      );
  }
  if (first && chainOfRows.blocksTell)
    reading.note?.(
      `Block ${first.height} is listed as ${first.block}, but was another block when it was read before: rows of both are held now. If the chain was created anew: ${drop}.`,
    );
  return true;
}

/** Transactions of a batch that have a place on the chain. Those of a genesis are the same on every chain that begins with it. */
function listedIn(stream: Chained, rows: Rows, first = 0): Listed[] {
  const { height, block, transaction } = stream.chainOfRows;
  const [heights, blocks, ids, times] = [height, block, transaction, timeOf(stream) ?? ''].map((name) =>
    rows.column(name),
  );
  if (!heights || !blocks || !ids) return [];
  const listed: Listed[] = [];
  for (let row = first; row < rows.length; row++) {
    const at = heights.isValid(row) ? heights.numberAt(row) : 0;
    if (at <= 0) continue;
    listed.push({
      height: at,
      time: times?.isValid(row) ? times.numberAt(row) / 1e6 : Number.NEGATIVE_INFINITY,
      block: rows.value(blocks, row) as string | null,
      transaction: rows.value(ids, row) as string,
    });
  }
  return listed;
}

/** A few of them, from the lowest to the highest. */
function spread(listed: readonly Listed[]): Listed[] {
  const heights = [...new Set(listed.map(({ height }) => height))].sort((a, b) => a - b);
  const step = Math.max(1, heights.length / mostCompared);
  const chosen = new Set(Array.from({ length: mostCompared }, (_, i) => heights[Math.floor(i * step)]));
  return listed.filter(({ height }) => chosen.has(height));
}

type Held = (where: string) => Promise<readonly Listed[]>;

const newestOf = 'TRUE ORDER BY 1 DESC LIMIT 1';

/** The first place that holds rows of the chain, and the newest of them. */
async function firstHeld(stream: Chained, partition: Partition, places: readonly HeldQuery[]) {
  for (const query of places) {
    const held = heldRows(stream, partition, query);
    const [newest] = await held(newestOf);
    if (newest) return { held, newest };
  }
  return undefined;
}

/** Gives rows of the chain that are held in the stream's table. */
function heldRows(stream: Chained, partition: Partition, query: HeldQuery): Held {
  const { by, height, block, transaction } = stream.chainOfRows;
  const time = timeOf(stream);
  const values = Object.fromEntries(by.map((column) => [column, partition.values[column] as string]));
  return async (where) => {
    const rows = await query<{
      height: bigint;
      time: string | null;
      block: string | null;
      transaction: string;
    }>(
      `SELECT "${height}" AS height, ${time === undefined ? 'NULL' : `CAST("${time}" AS VARCHAR)`} AS "time", "${block}" AS "block", "${transaction}" AS "transaction"
       FROM ${stream.table.name} WHERE ${hasValues(values)} AND "${height}" > 0 AND ${where}`,
      values,
    );
    return rows.map((row) => ({
      ...row,
      height: Number(row.height),
      time: row.time === null ? Number.NEGATIVE_INFINITY : secondsOf(row.time),
    }));
  };
}

/** The newest row that is held, the one before, and older ones: what a service drops is old, and what is still to settle is new. */
async function witnesses(held: Held, { height }: ChainOfRows, newest: Listed): Promise<readonly Listed[]> {
  const [oldest = newest] = await held('TRUE ORDER BY 1 LIMIT 1');
  const below = (part: number) => newest.height - Math.floor((newest.height - oldest.height) / part);
  const bounds = [newest.height - 1, below(4), below(2)];
  const older = await Promise.all(bounds.map((bound) => held(`"${height}" <= ${bound} ORDER BY 1 DESC LIMIT 1`)));
  return [...new Map([[newest], ...older].flat().map((row) => [row.height, row])).values()];
}

/**
 * Whether a source has none of the transactions that are held where they were, though it is not behind them and has what it lists. One that
 * does not say so with certainty, such as one of several servers that are not in step, has them.
 */
async function isGone(
  chain: ChainOfRows,
  { partition, fetch }: ListContext,
  listed: readonly Listed[],
  held: readonly Listed[],
): Promise<boolean> {
  const newest = held[0] as Listed;
  const control = listed.reduce((one, other) => (other.height > one.height ? other : one));
  if (control.height < newest.height && control.time <= newest.time) return false;
  const has = async (row: Listed): Promise<boolean | undefined> => {
    try {
      const block = await answer(chain.blockOf(partition, row.transaction), fetch);
      return isOf(chain, row, { block });
    } catch (error) {
      if (!(error instanceof FirnError)) throw error;
      return error.code === 'not_found' ? false : undefined;
    }
  };
  for (const _ of ['once', 'again']) {
    for (const row of held) if ((await has(row)) !== false) return false;
    if (!(await has(control))) return false;
  }
  return true;
}

type Block = Pick<Listed, 'block'>;

/** Whether a transaction that is held is the same one of the same chain. */
const isOf = ({ blocksTell }: ChainOfRows, held: Block, now: Block) => !blocksTell || !differ(held.block, now.block);

const isEqual = (one: Block, other: Block) => one.block !== null && one.block === other.block;

function textsOf({ id, chainOfRows }: Chained, { values }: Partition) {
  const chain = chainOfRows.by.map((column) => `${column}=${values[column]}`).join(',');
  return {
    name: `${id} (${chain})`,
    drop: `"firn state" lists what was read of ${chain}, and "firn state drop ${id}" drops it`,
  };
}

const otherChain = (what: string, drop: string) =>
  new FirnError(
    'source_shrank',
    `${what}. The source lists another chain than the one that was read from it. Nothing of it was taken: ` +
      `point the source back. If the chain was created anew, as on test networks, drop what was read of the old one: ${drop}.`,
  );
