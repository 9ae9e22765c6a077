import { expect, test } from 'vitest';
import { evmBlocks } from '../../../pipelines/node/evmBlocks.ts';
import { numberLogs } from '../../../pipelines/node/evmReceipts.ts';
import { RowSet } from '../../../src/core/parse/rowSet.ts';
import type { Stream } from '../../../src/core/stream/stream.ts';

type Log = readonly [height: number, transaction: number, index: number];

/** A set with these logs. */
function holding(logs: readonly Log[]): RowSet {
  const set = new RowSet(evmBlocks as unknown as Stream, { values: { chain_id: '1' }, settings: {} });
  const rows = set.rowsOf('evm_logs');
  const [heights, transactions, indexes] = ['number', 'tx_index', 'log_index'].map((name) => rows.named(name));
  for (const [height, transaction, index] of logs) {
    const row = rows.add();
    heights?.setInteger(row, height);
    transactions?.setInteger(row, transaction);
    indexes?.setInteger(row, index);
  }
  return set;
}

const indexesIn = (set: RowSet): number[] => {
  const rows = set.rowsOf('evm_logs');
  return Array.from({ length: rows.length }, (_, row) => rows.named('log_index').numberAt(row));
};

const anew: readonly Log[] = [
  [7, 0, 0],
  [7, 0, 1],
  [7, 2, 0],
];

test('logs that are counted anew in each receipt are numbered by their places in their block', () => {
  const set = holding([[6, 0, 0], ...anew, [8, 1, 0]]);
  expect(numberLogs(set)).toBe(true);
  expect(indexesIn(set)).toEqual([0, 0, 1, 2, 0]);
  expect(numberLogs(set)).toBe(false);
});

test('a block that is read beside others is looked at alone, also where one of the same height stands before it', () => {
  const set = holding([...anew, ...anew]);
  expect(numberLogs(set, anew.length)).toBe(true);
  expect(indexesIn(set)).toEqual([0, 1, 0, 0, 1, 2]);
  expect(() => numberLogs(holding([...anew, ...anew]))).not.toThrow();
  expect(() => numberLogs(holding([...anew, [7, 3, 5], [7, 3, 5]]))).toThrow(/several logs of block 7 the logIndex 0/);
});
