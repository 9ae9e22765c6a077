import { expect, test } from 'vitest';
import { batchOf, fileName } from '../../../src/cluster/stage/fileName.ts';

test.each([
  ['raw.node_evm_blocks', 'node_evm_blocks/7.parquet'],
  ['firn.chain', 'chain/7.parquet'],
  ['mart.reconciliation', 'reconciliation/7.parquet'],
])('%s lies where the engine looks for it', (table, name) => {
  expect(fileName(table, 7)).toBe(name);
  expect(batchOf('s3://b/', `s3://b/${name}`)).toBe(7);
  expect(batchOf('s3://b/', `s3://b/memory/${name}`)).toBe(7);
});

test.each([
  's3://b/lake/firn_raw/7.parquet',
  's3://b/second/node_evm_blocks/7.parquet',
  's3://b/second/memory/node_evm_blocks/7.parquet',
  's3://b/unload/raw_node_evm_blocks_1/7.parquet',
  's3://other/node_evm_blocks/7.parquet',
  's3://b/7.parquet',
  's3://b/node_evm_blocks/7.parquet.part',
])('%s is no file of the stage s3://b/', (uri) => {
  expect(batchOf('s3://b/', uri)).toBeUndefined();
});
