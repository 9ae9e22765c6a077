import { expect, test } from 'vitest';
import { syncMemory } from '../../../src/run/read/syncStreams.ts';

test.each([
  [1, '76MB'],
  [2, '72MB'],
  [4, '64MB'],
  [84, '64MB'],
  [0, '64MB'],
])('DuckDB has what the batches of %i partitions leave', (partitions, limit) => {
  expect(syncMemory(partitions)).toBe(limit);
});
