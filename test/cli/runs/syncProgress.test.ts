import { expect, test } from 'vitest';
import { syncProgress } from '../../../src/cli/runs/syncProgress.ts';
import type { PartitionResult } from '../../../src/run/read/syncOptions.ts';

/** A progress that tells what it draws, with a clock that is set by hand. */
function watched() {
  const drawn: { share: number | null; detail: string }[] = [];
  const notes: string[] = [];
  let now = 0;
  const bar = {
    draw: (_: string, share: number | null, detail: string) => void drawn.push({ share, detail }),
    clear() {},
  };
  const console = { bar, note: (text: string) => void notes.push(text) };
  const listener = syncProgress(console as never, () => now);
  const finish = (partition: string, rows: number, told: Partial<PartitionResult> = {}) =>
    listener.finished?.({ stream: 'node/a', partition, rows, outcome: 'done', ...told } as PartitionResult);
  return {
    listener,
    finish,
    notes,
    last: () => drawn.at(-1),
    drawn,
    pass(ms: number) {
      now += ms;
    },
  };
}

test('the total is there from the beginning, and neither it nor the share goes back', () => {
  const { listener, finish, pass, last, drawn } = watched();
  for (const partition of ['1', '2', '3']) listener.planned?.('node/a', partition);
  listener.started?.('node/a', '1');
  expect(last()).toEqual({ share: 0, detail: '0 of 3 partitions, 0 rows' });
  pass(1000);
  listener.progress?.('node/a', '1', 50, 100);
  listener.started?.('node/a', '2');
  // A head that moves away takes nothing back.
  listener.progress?.('node/a', '1', 55, 200);
  expect(last()?.share).toBeCloseTo(0.5 / 3);
  finish('1', 1234);
  expect(last()).toEqual({ share: 1 / 3, detail: '1 of 3 partitions, 1,234 rows' });
  listener.started?.('node/a', '3');
  finish('2', 1);
  finish('3', 1);
  expect(last()).toEqual({ share: 1, detail: '3 of 3 partitions, 1,236 rows' });
  const shares = drawn.map(({ share }) => share ?? 0);
  expect(shares).toEqual([...shares].sort((a, b) => a - b));
});

test('what is left is that of the slowest, once all say how much they have to read', () => {
  const { listener, pass, last } = watched();
  for (const partition of ['1', '2']) listener.planned?.('node/a', partition);
  listener.started?.('node/a', '1');
  pass(10_000);
  listener.progress?.('node/a', '1', 50, 100);
  expect(last()?.detail).not.toContain('still');
  listener.started?.('node/a', '2');
  expect(last()?.detail).not.toContain('still');
  pass(10_000);
  listener.progress?.('node/a', '2', 10, 100);
  expect(last()?.detail).toContain('about 1 min 30 s still');
});

test('what fails is said once for all of which it is true', () => {
  const { listener, finish, notes } = watched();
  listener.planned?.('node/a', '1');
  finish('1', 0, { outcome: 'failed', message: 'no luck' });
  finish('2', 0, { outcome: 'failed', message: 'no luck' });
  expect(notes).toEqual([expect.stringContaining('no luck')]);
});
