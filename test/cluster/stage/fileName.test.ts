import { expect, test } from 'vitest';
import { batchOf, fileName } from '../../../src/cluster/stage/fileName.ts';

test.each([
  ['raw.node_evm_blocks', 'node_evm_blocks/7.parquet'],
  ['firn.chain', 'chain/7.parquet'],
  ['mart.reconciliation', 'reconciliation/7.parquet'],
])('%s lies where the engine looks for it', (table, name) => {
  expect(fileName(table, 7)).toBe(name);
  expect(batchOf(`s3://b/${name}`)).toBe(7);
});
