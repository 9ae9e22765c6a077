import fc from 'fast-check';
import type { Index } from './history.ts';

/** One read: containers of an index, as far as its node has them by then, or what else a node says. */
export interface Reading {
  readonly what: Index | 'validators' | 'rewards' | 'supply' | 'balances';
  /** Which share of its containers, in thousandths. */
  readonly from: number;
  readonly until: number;
  /** By how many thousandths the history goes on before it. */
  readonly later: number;
  /** Whether it belongs to the run of the one before. */
  readonly sameRun: boolean;
  readonly build: boolean;
}

const indexes: readonly Index[] = ['P/block', 'X/block', 'X/tx', 'X/vtx', 'C/block'];
const part = fc.record({
  what: fc.constantFrom<Reading['what']>('P/block', 'P/block', ...indexes, 'validators', 'validators', 'rewards', 'supply', 'balances'),
  from: fc.nat(999),
  until: fc.integer({ min: 1, max: 1000 }),
  later: fc.constantFrom(0, 0, 200, 500),
  sameRun: fc.boolean(),
  build: fc.boolean(),
});
const whole = (what: Reading['what'], later: number, build = false): Reading => ({ what, from: 0, until: 1000, later, sameRun: false, build });

/** Some parts in any order, and in the end all there is, twice what a node says of now. */
export const drawnReads: fc.Arbitrary<readonly Reading[]> = fc
  .record({
    parts: fc.array(part, { minLength: 2, maxLength: 8 }),
    rest: fc.shuffledSubarray([...indexes, 'validators', 'rewards', 'supply', 'balances'] as Reading['what'][], { minLength: 9 }),
    build: fc.boolean(),
  })
  .map(({ parts, rest, build }) => [
    ...parts,
    ...rest.map((what, i) => whole(what, i === 0 ? 300 : 0, build && i === 4)),
    whole('validators', 1000),
    whole('P/block', 0),
    whole('X/block', 0),
    whole('C/block', 0),
    whole('X/tx', 0),
    whole('X/vtx', 0),
    whole('rewards', 0),
    whole('supply', 0),
    whole('validators', 0, true),
  ]);
