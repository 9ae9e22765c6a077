import { expect, test } from 'vitest';
import { createBatchSize } from '../../../src/extract/rpc/batchSize.ts';

test('halves when it was too much, or keeps what is known to fit', () => {
  const size = createBatchSize(1_000);
  size.tooMuch(1_000);
  expect(size.current()).toBe(500);
  size.tooMuch(500, 130);
  expect(size.current()).toBe(130);
  for (let i = 0; i < 20; i += 1) size.tooMuch(1);
  expect(size.current()).toBe(1);
});

test('comes back: doubling below what was too much, creeping above it, never beyond the limit', () => {
  const size = createBatchSize(100);
  size.tooMuch(40, 3);
  const seen: number[] = [];
  for (let i = 0; i < 40; i += 1) {
    seen.push(size.current());
    size.taken(size.current());
  }
  expect(seen.slice(0, 6)).toEqual([3, 6, 12, 24, 26, 29]);
  expect(seen.at(-1)).toBe(100);
});

test.each([1, 2, 7, 20, 99, 100, 101, 999, 1_000])('finds a fixed limit of %i and stays there', (limit) => {
  const size = createBatchSize(1_000);
  let refusals = 0;
  for (let i = 0; i < 100; i += 1) {
    const calls = size.current();
    if (calls > limit) {
      refusals += 1;
      size.tooMany(calls);
    } else size.taken(calls);
  }
  expect(size.current()).toBe(limit);
  expect(refusals).toBeLessThan(20);
});

test('is not raised by the refusal of a batch that was sent before', () => {
  const size = createBatchSize(1_000);
  size.tooMany(1_000);
  size.tooMany(500);
  size.tooMany(1_000);
  expect(size.current()).toBe(250);
  size.tooMuch(1_000, 600);
  expect(size.current()).toBe(250);
});

test('learns nothing from batches that were not full', () => {
  const size = createBatchSize(100);
  size.tooMuch(40);
  size.taken(5);
  expect(size.current()).toBe(20);
});
