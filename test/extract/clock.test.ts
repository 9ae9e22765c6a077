import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/extract/clock.ts';

test('what is to come in a month does not come at once', async () => {
  const happened: string[] = [];
  const cancel = systemClock.after(30 * 86_400_000, () => happened.push('after'));
  const ended = new AbortController();
  const sleeping = systemClock.sleep(30 * 86_400_000, ended.signal).then(
    () => happened.push('sleep'),
    () => {},
  );
  await wait(50);
  expect(happened).toEqual([]);
  cancel();
  ended.abort();
  await sleeping;
});
