import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { loopTurn } from '../../../src/run/read/loopTurn.ts';

test('takers have turns one after the other, in the order in which they came, and others go in between', async () => {
  const order: string[] = [];
  const takes = async (name: string) => {
    for (let turn = 1; turn <= 2; turn++) {
      await loopTurn();
      order.push(`${name}${turn}`);
    }
  };
  const beside = async () => {
    for (let turn = 1; turn <= 4; turn++) {
      await setImmediate();
      order.push('-');
    }
  };
  await Promise.all([takes('a'), takes('b'), beside()]);
  expect(order.filter((one) => one !== '-')).toEqual(['a1', 'b1', 'a2', 'b2']);
  expect(order.join(' ')).not.toMatch(/\w \w/);
});
