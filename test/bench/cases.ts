import type { Serving } from './servers/serve.ts';
import type { SideName } from './sides.ts';

/** One measure: what is served, and who reads it. */
export interface Case {
  readonly name: string;
  readonly title: string;
  readonly serving: Serving;
  /** How much of it, unless it is said. */
  readonly rows: number;
  /** The rows that are counted. */
  readonly unit: string;
  readonly sides: readonly SideName[];
  /** Where once is enough: memory moves less from run to run than time does. */
  readonly once?: boolean;
  /** Times the rows that are said, where rows are said. */
  readonly times?: number;
}

/** Once with a million rows, once with ten million: what is read must not stay in memory. */
const memory = (name: string, serving: Serving, rows: number, unit: string): Case[] =>
  [1, 10].map((times) => ({
    name: `memory-${name}-${times}m`,
    title: `peak memory at ${times} M rows, ${name}`,
    serving,
    rows: rows * times,
    unit,
    sides: ['firn'],
    once: true,
    times,
  }));

/** Every case, in the order in which they run. */
export const cases: readonly Case[] = [
  {
    name: 'start',
    title: 'start',
    serving: 'transactions',
    rows: 0,
    unit: 'transactions',
    sides: ['node alone', 'firn --version', 'firn status'],
  },
  {
    name: 'tx',
    title: 'paged transactions',
    serving: 'transactions',
    rows: 200_000,
    unit: 'transactions',
    sides: ['limit', 'firn', 'SDK loop', 'dlt'],
  },
  {
    name: 'address',
    title: 'address history with children, uint256 amounts',
    serving: 'addressHistory',
    rows: 50_000,
    unit: 'transactions',
    sides: ['limit', 'firn', 'dlt'],
  },
  {
    name: 'containers',
    title: 'containers, stored',
    serving: 'containers',
    rows: 40_000,
    unit: 'containers',
    sides: ['limit', 'firn'],
  },
  {
    name: 'decoded',
    title: 'containers, stored and decoded, senders recovered',
    serving: 'decodedContainers',
    rows: 40_000,
    unit: 'blocks',
    sides: ['limit', 'firn'],
  },
  {
    name: 'evm',
    title: 'blocks, receipts, logs',
    serving: 'evmBlocks',
    rows: 10_000,
    unit: 'blocks',
    sides: ['limit', 'firn', 'cryo', 'viem loop'],
  },
  {
    name: 'traces',
    title: 'blocks, receipts, logs, call traces',
    serving: 'tracedBlocks',
    rows: 2_500,
    unit: 'blocks',
    sides: ['limit', 'firn'],
  },
  {
    name: 'ledger',
    title: 'the whole demo ledger, empty to published',
    serving: 'ledger',
    rows: 3950,
    unit: 'EVM blocks',
    sides: ['firn run'],
  },
  ...memory('tx', 'transactions', 1_000_000, 'transactions'),
  // A block has 51 rows in all.
  ...memory('evm', 'evmBlocks', 20_000, 'blocks'),
];
