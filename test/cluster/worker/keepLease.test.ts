import { expect, onTestFinished, test, vi } from 'vitest';
import type { Lease, Ledger } from '../../../src/cluster/contract.ts';
import { keepLease } from '../../../src/cluster/worker/keepLease.ts';
import { FirnError } from '../../../src/core/firnError.ts';

/** Keeps a lease of three seconds while time passes; each renewal is answered by the next answer. */
function kept(answers: readonly (() => Promise<'ok' | 'fenced'>)[]) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const renew = vi.fn<Ledger['renew']>();
  for (const answer of answers) renew.mockImplementationOnce(answer);
  let end = () => {};
  let raised: AbortSignal | undefined;
  const work = keepLease({ renew } as Partial<Ledger> as Ledger, {} as Lease, 3_000, (fence) => {
    raised = fence;
    return new Promise<void>((resolve) => {
      end = resolve;
    });
  });
  return { renew, isFenced: () => raised?.aborted, end: () => end(), work };
}
const ok = async () => 'ok' as const;

test('a lease is renewed three times in its length, and no more once the work has ended', async () => {
  const { renew, isFenced, end, work } = kept([ok, ok, ok, ok]);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(renew.mock.calls.map(([, ms]) => ms)).toEqual([3_000, 3_000, 3_000]);
  expect(isFenced()).toBe(false);
  end();
  await work;
  await vi.advanceTimersByTimeAsync(3_000);
  expect(renew).toHaveBeenCalledTimes(3);
});

test('the work is told that its lease is another’s, and nothing of an outage', async () => {
  const away = () => Promise.reject(new FirnError('unavailable', 'away'));
  const { isFenced, end, work } = kept([away, async () => 'fenced']);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(isFenced()).toBe(false);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(isFenced()).toBe(true);
  end();
  await work;
});
