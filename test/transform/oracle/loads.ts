import fc from 'fast-check';
import type { DrawnBlock, World } from './world.ts';

/** One load: heights of a chain from one source, and what that source did not tell. */
export interface Load {
  readonly source: 'node' | 'containers' | 'data';
  readonly from: number;
  readonly until: number;
  readonly traces: 'whole' | 'not_asked_for' | 'some';
  readonly receipts: 'whole' | 'none' | 'some';
}

/** The loads of a world, in any order, with or without one of the whole of it. */
export const drawnLoads: fc.Arbitrary<Load[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .record({
          source: fc.constantFrom<Load['source']>('node', 'node', 'containers', 'data'),
          from: fc.nat(18),
          count: fc.integer({ min: 1, max: 18 }),
          traces: fc.constantFrom<Load['traces']>('whole', 'whole', 'whole', 'not_asked_for', 'some'),
          receipts: fc.constantFrom<Load['receipts']>('whole', 'whole', 'whole', 'whole', 'none', 'some'),
        })
        .map(({ count, ...load }) => ({ ...load, until: load.from + count })),
    },
    {
      weight: 2,
      arbitrary: fc
        .constantFrom(0, 0, 1)
        .map((from) => ({ source: 'node', from, until: 99, traces: 'whole', receipts: 'whole' }) as const),
    },
    {
      weight: 1,
      arbitrary: fc.constant({ source: 'containers', from: 0, until: 99, traces: 'whole', receipts: 'whole' } as const),
    },
  ),
  { minLength: 1, maxLength: 4 },
);

/** Whether a source that gives some of the traces, or all, gives this one. */
export const isTraced = (traces: Load['traces'], number: number, index: number): boolean =>
  traces === 'whole' || (traces === 'some' && (number + index) % 3 !== 0);

/** How many receipts of a block are held by a load: some sources give all but the last of every second block. */
export const receiptsHeld = (receipts: Load['receipts'], { number, transactions: { length } }: DrawnBlock): number =>
  receipts === 'none' ? 0 : receipts === 'some' && number % 2 === 0 ? Math.max(0, length - 1) : length;

/** The heights of a load that its source has: an index has no genesis. */
export const heightsOf = ({ from, until, source }: Load, { blocks }: World): number[] =>
  blocks
    .map(({ number }) => number)
    .filter((number) => number >= from && number < until && (source !== 'containers' || number > 0));

/** Containers of some heights. */
export const containersOf = (from: number, until: number): Load => ({
  source: 'containers',
  from,
  until,
  traces: 'whole',
  receipts: 'whole',
});
