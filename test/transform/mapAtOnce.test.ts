import { expect, test } from 'vitest';
import { mapAtOnce } from '../../src/transform/mapAtOnce.ts';

test('results come in the order of the items, and no more than allowed are worked on at once', async () => {
  let under = 0;
  let most = 0;
  const found = await mapAtOnce([5, 4, 3, 2, 1], 2, async (turns) => {
    most = Math.max(most, ++under);
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    under--;
    return turns * 10;
  });
  expect(found).toEqual([50, 40, 30, 20, 10]);
  expect(most).toBe(2);
});

test('once one fails no further work is begun', async () => {
  const begun: number[] = [];
  const work = async (n: number) => {
    begun.push(n);
    if (n === 2) throw new Error('no such luck');
  };
  await expect(mapAtOnce([1, 2, 3, 4, 5, 6, 7, 8], 1, work)).rejects.toThrow('no such luck');
  await new Promise(setImmediate);
  expect(begun).toEqual([1, 2]);
});
