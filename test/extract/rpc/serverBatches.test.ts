import { expect, test } from 'vitest';
import { ServerBatches } from '../../../src/extract/rpc/serverBatches.ts';

test('a server that refuses its first batch is sent no other, nor is one where a batch holds one call', () => {
  const batches = new ServerBatches(10);
  expect(batches.areTaken).toBe(true);
  batches.refused(10, 0);
  expect(batches.areTaken).toBe(false);
  expect(new ServerBatches(1).areTaken).toBe(false);
});

test('a server that took one is sent smaller ones, until it has refused three in a row', () => {
  const batches = new ServerBatches(16);
  batches.answered();
  batches.refused(16, 0);
  expect([batches.areTaken, batches.size.current()]).toEqual([true, 8]);
  // Sent together with the one before, it tells nothing new.
  batches.refused(16, 0);
  batches.refused(8, 1);
  expect(batches.areTaken).toBe(true);
  batches.refused(4, 2);
  expect(batches.areTaken).toBe(false);
});

test('an answer between refusals begins the count anew', () => {
  const batches = new ServerBatches(16);
  for (let i = 0; i < 5; i++) {
    batches.answered();
    batches.refused(16, 0);
  }
  expect(batches.areTaken).toBe(true);
});
