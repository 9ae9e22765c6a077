import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createServerParts } from '../../../src/extract/http/serverParts.ts';
import { fakeClock } from '../fakeClock.ts';

test.each(['answered', 'failed', 'left'] as const)(
  'who waits for the one that tries a broken part goes on when that one has %s',
  async (how) => {
    const part = createServerParts('http://host', fakeClock())('/list');
    for (let times = 0; times < 10; times++) part.failed('it broke.');
    expect(await part.enter(undefined)).toBe(2_000);
    let isIn = false;
    const waiting = part.enter(undefined).then(() => {
      isIn = true;
    });
    await setImmediate();
    expect(isIn).toBe(false);
    part[how]('it broke again.');
    await waiting;
  },
  5_000,
);

test('who waits for the one that tries a broken part is aborted', async () => {
  const part = createServerParts('http://host', fakeClock())('/list');
  for (let times = 0; times < 10; times++) part.failed('it broke.');
  await part.enter(undefined);
  const abort = new AbortController();
  const waiting = part.enter(abort.signal);
  setTimeout(() => abort.abort());
  await expect(waiting).rejects.toThrow('abort');
}, 5_000);

test('who waits while a broken part is held back is aborted', async () => {
  const part = createServerParts('http://host', fakeClock())('/list');
  for (let times = 0; times < 10; times++) part.failed('it broke.');
  const abort = new AbortController();
  const waiting = part.enter(abort.signal);
  abort.abort();
  await expect(waiting).rejects.toMatchObject({ code: 'interrupted' });
});

test('however many wait for the one that tries a broken part, Node takes them for no leak', async () => {
  const warned = vi.fn();
  process.on('warning', warned);
  onTestFinished(() => void process.off('warning', warned));
  const part = createServerParts('http://host', fakeClock())('/list');
  for (let times = 0; times < 10; times++) part.failed('it broke.');
  await part.enter(undefined);
  const waiting = Array.from({ length: 20 }, () => part.enter(undefined));
  part.answered();
  await Promise.all(waiting);
  await setImmediate();
  expect(warned).not.toHaveBeenCalled();
});

test('parts are found by what is asked, not by what is asked about', () => {
  const partOf = createServerParts('http://host', fakeClock());
  const address = (digit: string) => `/v1/chains/43114/addresses/0x${digit.repeat(40)}/transactions`;
  expect(partOf(address('1'))).toBe(partOf(address('2')));
  expect(partOf(`/v1/operations/${randomUUID()}`)).toBe(partOf(`/v1/operations/${randomUUID()}`));
  expect(partOf('/v1/chains')).not.toBe(partOf('/v1/networks'));
});
