import { expect, onTestFinished, test, vi } from 'vitest';
import { alone } from '../../../src/cluster/ledger/alone.ts';
import type { Control } from '../../../src/cluster/ledger/control.ts';
import { FirnError } from '../../../src/core/firnError.ts';

test('what is done alone keeps its lease while it lasts, also past an outage, and gives it back', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const query = vi.fn(async (text: string) => {
    if (query.mock.calls.length === 3) throw new FirnError('unavailable', 'away');
    return text.startsWith('INSERT') ? [{ epoch: '5' }] : [{}];
  });
  const done = await alone(
    { query } as Partial<Control> as Control,
    'build',
    async () => {
      await vi.advanceTimersByTimeAsync(3_000);
      return 'done';
    },
    3_000,
  );
  expect(done).toBe('done');
  await vi.advanceTimersByTimeAsync(3_000);
  const [taken, ...rest] = query.mock.calls.map(([text]) => text);
  expect(taken).toMatch(/^INSERT INTO firn\.task/);
  const renewed = expect.stringMatching(/^UPDATE firn\.task SET lease_until = clock/);
  expect(rest).toEqual([renewed, renewed, renewed, expect.stringMatching(/SET lease_until = '-infinity'/)]);
});
