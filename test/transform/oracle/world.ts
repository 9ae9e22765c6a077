import fc from 'fast-check';

/** A chain that never was, drawn at random. Accounts are small numbers, 0 is the zero address; times are Unix seconds. */
export interface World {
  /** From genesis on, by height. */
  readonly blocks: readonly DrawnBlock[];
  /** Whether the node's container index has it: the C-Chain. */
  readonly hasIndex: boolean;
}

export interface DrawnBlock {
  readonly number: number;
  readonly time: number;
  /** Header time with milliseconds; null before the fork that brought it. */
  readonly milliseconds: number | null;
  readonly hasBaseFee: boolean;
  readonly atomic: { readonly count: number; readonly form: 'single' | 'batch'; readonly network: number };
  readonly transactions: readonly DrawnTransaction[];
}

export interface DrawnTransaction {
  readonly from: number;
  /** null creates a contract. */
  readonly to: number | null;
  readonly type: number;
  readonly gasUsed: number;
  /** Wei per gas. */
  readonly paid: bigint;
  readonly maxFee: bigint | null;
  /** Whether the receipt names the price that was paid. */
  readonly isPriceTold: boolean;
  /** null before Byzantium. */
  readonly status: 0 | 1 | null;
  readonly logs: readonly DrawnLog[];
  readonly calls: readonly Frame[];
}

/** A log by its signature; of `topics` accounts, with whatever bytes before them. */
export interface DrawnLog {
  readonly kind: 'transfer' | 'single' | 'batch' | 'other' | 'anonymous';
  readonly topics: readonly number[];
  readonly isPadded: boolean;
}

/** A call inside of a transaction. */
export interface Frame {
  readonly type: string;
  readonly from: number;
  readonly to: number | null;
  readonly fails: boolean;
  readonly calls: readonly Frame[];
}

/** The outermost frame of a transaction. */
export const rootOf = ({ from, to, status, calls }: DrawnTransaction): Frame => ({
  type: to === null ? 'CREATE' : 'CALL',
  from,
  to,
  fails: status === 0,
  calls,
});

const account = fc.nat(11);
const otherAccount = fc.nat(25);

/** Call trees of up to some levels. */
const frame = (levels: number): fc.Arbitrary<Frame> =>
  fc.record({
    type: fc.constantFrom('CALL', 'DELEGATECALL', 'STATICCALL', 'CREATE', 'CREATE2', 'CREATE3', 'SELFDESTRUCT'),
    from: account,
    to: fc.option(otherAccount, { freq: 5 }),
    fails: fc.boolean(),
    calls: levels > 1 ? fc.array(frame(levels - 1), { maxLength: 2 }) : fc.constant([]),
  });

const log: fc.Arbitrary<DrawnLog> = fc.record({
  kind: fc.constantFrom('transfer', 'transfer', 'single', 'batch', 'other', 'anonymous'),
  topics: fc.array(otherAccount, { minLength: 1, maxLength: 3 }),
  isPadded: fc.boolean(),
});

const price = fc.oneof(
  { weight: 40, arbitrary: fc.bigInt(1n, 50n).map((gwei) => gwei * 10n ** 9n) },
  { weight: 5, arbitrary: fc.constant(0n) },
  { weight: 5, arbitrary: fc.bigInt(2n ** 63n, 2n ** 90n) },
  { weight: 1, arbitrary: fc.bigInt(10n ** 36n, 10n ** 39n) },
);

const transaction: fc.Arbitrary<DrawnTransaction> = fc
  .record({
    from: account,
    to: fc.option(otherAccount, { freq: 4 }),
    type: fc.constantFrom(0, 1, 2, 2, 3, 0x7d),
    gasUsed: fc.oneof(
      { weight: 9, arbitrary: fc.integer({ min: 21_000, max: 2_000_000 }) },
      // So much that hours of it are not built in one statement.
      { weight: 1, arbitrary: fc.integer({ min: 400_000_000, max: 6_000_000_000 }) },
    ),
    paid: price,
    above: fc.bigInt(0n, 10n ** 12n),
    isPriceTold: fc.boolean(),
    status: fc.constantFrom<0 | 1 | null>(1, 1, 1, 0, 0, null),
    logs: fc.array(log, { maxLength: 3 }),
    calls: fc.array(frame(3), { maxLength: 2 }),
  })
  .map(({ above, ...drawn }) => {
    // What carries blobs creates no contract.
    const type = drawn.to === null ? Math.min(drawn.type, 2) : drawn.type;
    return { ...drawn, type, maxFee: type === 2 || type === 3 ? drawn.paid + above : null };
  });

type Edge = 'hour' | 'day' | 'week' | 'month';

/** What lies between two blocks: seconds, or the end of an hour, day, week or month, exactly or a second off. */
const gap = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(0, 1, 2) },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 10_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 80_000, max: 900_000 }) },
  {
    weight: 3,
    arbitrary: fc.record({
      edge: fc.constantFrom<Edge>('hour', 'hour', 'day', 'day', 'week', 'month'),
      off: fc.constantFrom(-1, 0, 0, 1),
    }),
  },
);

function timeAfter(time: number, between: number | { readonly edge: Edge; readonly off: number }): number {
  if (typeof between === 'number') return time + between;
  const date = new Date(time * 1000);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const next = {
    hour: Date.UTC(year, month, day, date.getUTCHours() + 1),
    day: Date.UTC(year, month, day + 1),
    week: Date.UTC(year, month, day + (8 - (date.getUTCDay() || 7))),
    month: Date.UTC(year, month + 1),
  }[between.edge];
  return Math.max(time, next / 1000 + between.off);
}

const block = fc.record({
  gap,
  thousandths: fc.nat(999),
  atomic: fc.constantFrom(0, 0, 0, 1, 2, 3),
  transactions: fc.oneof(
    { weight: 1, arbitrary: fc.constant([]) },
    { weight: 2, arbitrary: fc.array(transaction, { minLength: 1, maxLength: 3 }) },
  ),
});

/** A history, with the heights from which its headers have a base fee, batches of atomic transactions, and milliseconds. */
export const drawnWorld = (hasIndex: boolean): fc.Arbitrary<World> =>
  fc
    .record({
      first: fc.constantFrom(
        '2026-01-28T20:10:00Z',
        '2024-12-29T23:59:59Z',
        '2028-02-28T22:00:00Z',
        '2026-03-01T00:00:00Z',
      ),
      genesis: fc.constantFrom('same', 'second', 'year', 'epoch'),
      network: fc.constantFrom(1, 12345),
      forks: fc.array(fc.nat(30), { minLength: 3, maxLength: 3 }),
      blocks: fc.array(block, { minLength: 2, maxLength: 18 }),
    })
    .map(({ first, genesis, network, forks: [withBaseFee = 0, withBatches = 0, withMilliseconds = 0], blocks }) => {
      const begin = Date.parse(first) / 1000;
      const before = { same: begin, second: begin - 1, year: begin - 31_557_600, epoch: 0 }[genesis];
      let time = begin;
      let last = 0;
      const atomicOf = (number: number, count: number) => {
        const isBatch = number >= withBatches;
        return {
          count: hasIndex ? (isBatch ? count : Math.min(count, 1)) : 0,
          form: isBatch ? 'batch' : 'single',
          network,
        } as const;
      };
      const made = blocks.map(({ gap: between, thousandths, atomic, transactions }, i): DrawnBlock => {
        const number = i + 1;
        if (i > 0) time = timeAfter(time, between);
        // A later block of the same second is not earlier in it.
        last = Math.max(last, time * 1000 + thousandths);
        const milliseconds = number >= withMilliseconds ? last : null;
        return {
          number,
          time,
          milliseconds,
          hasBaseFee: number >= withBaseFee,
          atomic: atomicOf(number, atomic),
          transactions,
        };
      });
      const zero: DrawnBlock = {
        number: 0,
        time: before,
        milliseconds: null,
        hasBaseFee: false,
        atomic: atomicOf(0, 0),
        transactions: [],
      };
      return { hasIndex, blocks: [zero, ...made] };
    });

/** A C-Chain with a block a day and nothing in it. */
export const plainWorld = (length: number): World => ({
  hasIndex: true,
  blocks: Array.from({ length }, (_, number) => ({
    number,
    time: Date.UTC(2026, 0, 28 + number) / 1000,
    milliseconds: null,
    hasBaseFee: false,
    atomic: { count: 0, form: 'batch', network: 1 },
    transactions: [],
  })),
});
