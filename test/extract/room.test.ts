import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRoom } from '../../src/extract/room.ts';

const never = () => new AbortController().signal;

test('whoever there is no room for waits until some is free', async () => {
  const room = createRoom(100);
  const order: string[] = [];
  await Promise.all([
    room.seated(async (hold) => {
      await hold(80, never());
      await sleep(5);
      order.push('first');
    }),
    room.seated(async (hold) => {
      await hold(20, never());
      await hold(30, never());
      order.push('second');
    }),
    room.seated(async (hold) => {
      await hold(21, never());
      order.push('third');
    }),
  ]);
  expect([order[0], order.length]).toEqual(['first', 3]);
});

test('one that is larger than the room is let in, and what it gives back is free at once', async () => {
  const room = createRoom(100);
  let isIn = false;
  await room.seated(async (hold) => {
    await hold(1_000, never());
    const next = room.seated(async (own) => {
      await own(90, never());
      isIn = true;
    });
    await sleep(2);
    expect(isIn).toBe(false);
    await hold(10, never());
    await next;
  });
  expect(isIn).toBe(true);
});

test('who waits is heard when it is to end, and leaves nothing behind', async () => {
  const room = createRoom(10);
  const reason = new Error('enough');
  await room.seated(async (hold) => {
    await hold(10, never());
    const ends = new AbortController();
    const waiting = room.seated((own) => own(1, ends.signal));
    ends.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(room.seated(() => Promise.reject(reason))).rejects.toBe(reason);
  });
  await room.seated((hold) => hold(10, never()));
});

test('all come to their end, and together they hold the room and one more at most', async () => {
  const most = 50;
  const requests = fc.array(fc.array(fc.integer({ min: 0, max: 80 }), { minLength: 1, maxLength: 6 }), {
    minLength: 1,
    maxLength: 12,
  });
  await fc.assert(
    fc.asyncProperty(requests, async (all) => {
      const room = createRoom(most);
      const held = new Map<number, number>();
      await Promise.all(
        all.map((sizes, i) =>
          room.seated(async (hold) => {
            for (const size of sizes) {
              await hold(size, never());
              held.set(i, size);
              const sum = [...held.values()].reduce((a, b) => a + b, 0);
              expect(sum).toBeLessThanOrEqual(most + Math.max(...held.values()));
              await Promise.resolve();
            }
            held.delete(i);
          }),
        ),
      );
      expect(held.size).toBe(0);
    }),
    { numRuns: 200 },
  );
});
