import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createLookTurns, type LookTurn } from '../../../src/core/paging/lookTurns.ts';

test('one partition of a chain looks at a time, until it asks for anything else or ends', async () => {
  const turnOn = createLookTurns();
  const [one, other, third] = [turnOn('C'), turnOn('C'), turnOn('C')];
  const sent: string[] = [];
  const ask = (name: string, turn: LookTurn, look = true) =>
    void turn.before({ kind: 'get', path: '/', weight: 1, look }).then(() => sent.push(name));
  ask('one', one);
  ask('one again', one);
  ask('other', other);
  ask('third', third);
  ask('of another chain', turnOn('X'));
  await setImmediate();
  expect(sent.sort()).toEqual(['of another chain', 'one', 'one again']);
  ask('one reads', one, false);
  await setImmediate();
  expect(sent.slice(3).sort()).toEqual(['one reads', 'other']);
  other.end();
  await setImmediate();
  expect(sent.slice(5)).toEqual(['third']);
});
