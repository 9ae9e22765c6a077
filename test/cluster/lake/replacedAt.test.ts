import { expect, test } from 'vitest';
import { replacedAt } from '../../../src/cluster/lake/replacedAt.ts';

const again = { name: 'raw.x_again', columns: [], replacedBy: ['chain', 'at'] };

/** What is known where the stretches of a table are these, and it holds so many rows. */
const known = async (rows: number, ...stretches: [chain: string, first: bigint, last: bigint][]) => {
  const found = stretches.map(([chain, first, last]) => ({ chain, first, last, held: BigInt(rows) }));
  const engine = { query: async <R>() => found as R[] };
  return (await replacedAt(engine, [{ name: 'raw.x', columns: [], again }], (name) => name)).get('raw.x_again');
};

test('positions that were read again are told as stretches, and whether each was once', async () => {
  const where = `("chain" = 'a' AND "at" BETWEEN 1 AND 3) OR ("chain" = 'b' AND "at" BETWEEN 7 AND 7)`;
  expect(await known(4, ['a', 1n, 3n], ['b', 7n, 7n])).toEqual({ where, isOnce: true });
  expect(await known(5, ['a', 1n, 3n], ['b', 7n, 7n])).toEqual({ where, isOnce: false });
});

test('of a table that holds nothing yet no position was read again', async () => {
  expect(await known(0)).toEqual({ where: 'false', isOnce: true });
});
