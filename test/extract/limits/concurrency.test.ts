import { expect, test } from 'vitest';
import { createConcurrency } from '../../../src/extract/limits/concurrency.ts';

test('climbs to the most, one by one', () => {
  const concurrency = createConcurrency(8);
  expect(concurrency.current()).toBe(4);
  for (let i = 0; i < 4; i += 1) concurrency.up();
  expect(concurrency.current()).toBe(4);
  for (let i = 0; i < 2; i += 1) concurrency.up();
  expect(concurrency.current()).toBe(5);
  for (let i = 0; i < 1_000; i += 1) concurrency.up();
  expect(concurrency.current()).toBe(8);
});

test('halves once for all requests that were under way together', () => {
  const concurrency = createConcurrency(16);
  const tickets = Array.from({ length: 8 }, () => concurrency.ticket());
  for (const ticket of tickets) concurrency.down(ticket);
  expect(concurrency.current()).toBe(4);
  concurrency.down(concurrency.ticket());
  expect(concurrency.current()).toBe(2);
});

test('never falls below one', () => {
  const concurrency = createConcurrency(1);
  for (let i = 0; i < 5; i += 1) concurrency.down(concurrency.ticket());
  expect(concurrency.current()).toBe(1);
});
