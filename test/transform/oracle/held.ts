import { heightsOf, isTraced, type Load, receiptsHeld } from './loads.ts';
import type { DrawnBlock, World } from './world.ts';

export const intervals = ['hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof intervals)[number];

/** A bucket of a world of which some is held: Unix seconds, and what may be claimed of it. */
export interface Bucket {
  readonly interval: Interval;
  readonly start: number;
  /** All blocks that the chain has in it, up to the newest held. */
  readonly blocks: readonly DrawnBlock[];
  /** Those of them that are held. */
  readonly held: readonly DrawnBlock[];
  readonly state: 'open' | 'closed' | 'settled';
  readonly source: string | null;
  readonly covered: Readonly<Record<'blocks' | 'gas' | 'receipts' | 'traces' | 'times', boolean>>;
}

/** What is known of a block. */
interface Known {
  readonly source: Load['source'];
  readonly receipts: number;
  readonly traced: number;
}

/** Start of the bucket of a moment and of the one after it. */
export function bucketAt(interval: Interval, time: number): [start: number, end: number] {
  const date = new Date(time * 1000);
  const [year, month, day, hour] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate(), date.getUTCHours()];
  const monday = day - ((date.getUTCDay() + 6) % 7);
  const [from, until] = {
    hour: [Date.UTC(year, month, day, hour), Date.UTC(year, month, day, hour + 1)],
    day: [Date.UTC(year, month, day), Date.UTC(year, month, day + 1)],
    week: [Date.UTC(year, month, monday), Date.UTC(year, month, monday + 7)],
    month: [Date.UTC(year, month, 1), Date.UTC(year, month + 1, 1)],
  }[interval] as [number, number];
  return [from / 1000, until / 1000];
}

/** What is known of each block after some loads: of each the best source, and of that the last load. */
export function knownBlocks(world: World, loads: readonly Load[]): Map<number, Known> {
  const bySource = {
    node: new Map<number, Known>(),
    containers: new Map<number, Known>(),
    data: new Map<number, Known>(),
  };
  for (const load of loads) {
    if (load.source === 'containers' && !world.hasIndex) continue;
    for (const number of heightsOf(load, world)) {
      const block = world.blocks[number] as DrawnBlock;
      const { length } = block.transactions;
      if (load.source === 'data' && length === 0) continue;
      const isNode = load.source === 'node';
      const receipts = isNode ? receiptsHeld(load.receipts, block) : 0;
      const traced = isNode ? block.transactions.filter((_, i) => isTraced(load.traces, number, i)).length : 0;
      bySource[load.source].set(number, { source: load.source, receipts, traced });
    }
  }
  const { node, containers, data } = bySource;
  return node.size + containers.size > 0 ? new Map([...containers, ...node]) : data;
}

/** The buckets of a world after some loads, each interval in the order of time. */
export function bucketsOf(world: World, known: ReadonlyMap<number, Known>): Bucket[] {
  const held = world.blocks.filter(({ number }) => number > 0 && known.has(number));
  const [first, newest] = [held[0], held.at(-1)];
  if (!first || !newest) return [];
  const chain = world.blocks.filter(({ number }) => number > 0 && number <= newest.number);
  return intervals.flatMap((interval) => {
    const starts = new Set(held.map(({ time }) => bucketAt(interval, time)[0]));
    if (interval === 'day')
      for (let [day, next] = bucketAt('day', first.time); day <= newest.time; [day, next] = bucketAt('day', next))
        starts.add(day);
    return [...starts].sort((a, b) => a - b).map((start) => bucketOf(interval, start, { chain, known, newest }));
  });
}

interface Chain {
  readonly chain: readonly DrawnBlock[];
  readonly known: ReadonlyMap<number, Known>;
  readonly newest: DrawnBlock;
}

function bucketOf(interval: Interval, start: number, { chain, known, newest }: Chain): Bucket {
  const [, end] = bucketAt(interval, start);
  const blocks = chain.filter(({ time }) => time >= start && time < end);
  const held = blocks.filter(({ number }) => known.has(number));
  const sources = [...new Set(held.map(({ number }) => known.get(number)?.source as string))].sort();
  return {
    interval,
    start,
    blocks,
    held,
    state: newest.time < end ? 'open' : newest.time < end + 72 * 3600 ? 'closed' : 'settled',
    source: sources.length > 0 ? sources.join(',') : null,
    covered: coveredIn(
      blocks,
      chain.findLast(({ time }) => time < start),
      { known, newest },
    ),
  };
}

/** @param before the last block that the chain has before the bucket */
function coveredIn(
  blocks: readonly DrawnBlock[],
  before: DrawnBlock | undefined,
  { known, newest }: Omit<Chain, 'chain'>,
): Bucket['covered'] {
  const [first, last] = [blocks[0] ?? before, blocks.at(-1) ?? before];
  const of = ({ number }: DrawnBlock) => known.get(number);
  const areLinked =
    first !== undefined && last !== undefined && blocks.every((block) => of(block) && of(block)?.source !== 'data');
  const follows = blocks.length === 0 || first?.number === 1 || known.has((first?.number ?? 0) - 1);
  const isCovered =
    areLinked && follows && known.has(last.number) && (last.number === newest.number || known.has(last.number + 1));
  const proved = (block: DrawnBlock) => of(block)?.receipts === block.transactions.length;
  return {
    blocks: isCovered,
    gas: isCovered && blocks.every((block) => proved(block) || of(block)?.receipts === 0),
    receipts: isCovered && blocks.every(proved),
    traces: isCovered && blocks.every((block) => of(block)?.traced === block.transactions.length),
    times: blocks.every(({ number }) => known.has(number - 1)),
  };
}
