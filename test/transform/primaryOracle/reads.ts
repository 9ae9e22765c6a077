import fc from 'fast-check';
import type { Index } from './history.ts';

/** One read: containers of an index, as far as its node has them by then, or what else a node says. */
export interface Reading {
  readonly what: Index | 'validators' | 'rewards' | 'supply' | 'balances' | 'transactions' | 'utxos' | 'cycles';
  /** Which share of its containers, in thousandths. */
  readonly from: number;
  readonly until: number;
  /** By how many thousandths the history goes on before it. */
  readonly later: number;
  /** Whether it belongs to the run of the one before. */
  readonly sameRun: boolean;
  readonly next: 'read on' | 'build' | 'audit';
}

const indexes: readonly Index[] = ['P/block', 'X/block', 'X/tx', 'X/vtx', 'C/block'];
const part = fc.record({
  what: fc.constantFrom<Reading['what']>(
    'P/block',
    'P/block',
    ...indexes,
    'validators',
    'validators',
    'rewards',
    'supply',
    'balances',
    'transactions',
    'utxos',
    'cycles',
    'cycles',
  ),
  from: fc.nat(999),
  until: fc.integer({ min: 1, max: 1000 }),
  later: fc.constantFrom(0, 0, 150, 300, 600),
  sameRun: fc.boolean(),
  next: fc.constantFrom<Reading['next']>('read on', 'read on', 'read on', 'build', 'audit'),
});
const whole = (what: Reading['what'], later: number, next: Reading['next'] = 'read on'): Reading => ({
  what,
  from: 0,
  until: 1000,
  later,
  sameRun: false,
  next,
});

const containers = (later: number) => indexes.map((what, i) => whole(what, i === 0 ? later : 0));
const saidBeside = ['rewards', 'validators', 'supply', 'balances', 'transactions', 'utxos', 'cycles'] as const;

/** All containers in one run. */
export const containerReads: readonly Reading[] = containers(1000);

/** All there is in two runs, and what a node says after each. */
export const plainReads: readonly Reading[] = [600, 1000].flatMap((later) => [
  ...containers(later),
  ...saidBeside.map((what) => whole(what, 0)),
]);

/** Some parts in any order, and in the end all there is, twice what a node says of now. */
export const drawnReads: fc.Arbitrary<readonly Reading[]> = fc
  .record({
    parts: fc.array(part, { minLength: 2, maxLength: 8 }),
    rest: fc.shuffledSubarray([...indexes, ...saidBeside] as Reading['what'][], { minLength: 10 }),
  })
  .map(({ parts, rest }) => [
    // Nothing is read before there is something.
    ...parts.map((one, i) => (i === 0 ? { ...one, later: 400 } : one)),
    ...rest.map((what, i) => whole(what, i === 0 ? 300 : 0, i === 4 ? 'build' : 'read on')),
    whole('validators', 1000),
    whole('P/block', 0),
    whole('X/block', 0),
    whole('C/block', 0),
    whole('X/tx', 0),
    whole('X/vtx', 0),
    whole('rewards', 0),
    whole('supply', 0),
    whole('transactions', 0),
    whole('utxos', 0),
    whole('validators', 0, 'audit'),
  ]);
