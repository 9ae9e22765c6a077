import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRoom } from '../../../src/extract/exchange/room.ts';
import { fuzzRuns } from '../../fuzzRuns.ts';

test('whoever there is no room for waits until some is free', async () => {
  const room = createRoom(100);
  const order: string[] = [];
  await Promise.all([
    room.seated(async (hold) => {
      await hold(80);
      await sleep(5);
      order.push('first');
    }),
    room.seated(async (hold) => {
      await hold(20);
      await hold(30);
      order.push('second');
    }),
    room.seated(async (hold) => {
      await hold(21);
      order.push('third');
    }),
  ]);
  expect([order[0], order.length]).toEqual(['first', 3]);
});

test('one that is larger than the room is let in, and what it gives back is free at once', async () => {
  const room = createRoom(100);
  let isIn = false;
  await room.seated(async (hold) => {
    await hold(1_000);
    const next = room.seated(async (own) => {
      await own(90);
      isIn = true;
    });
    await sleep(2);
    expect(isIn).toBe(false);
    await hold(10);
    await next;
  });
  expect(isIn).toBe(true);
});

test('who leaves while it waits holds nothing, and its waiting ends', async () => {
  const room = createRoom(10);
  await room.seated(async (hold) => {
    await hold(10);
    let waiting: Promise<void> | undefined;
    await room.seated(async (own) => {
      waiting = own(1);
    });
    await waiting;
    await expect(room.seated(() => Promise.reject(new Error('enough')))).rejects.toThrow('enough');
  });
  await room.seated(async (hold) => expect(hold(10)).toBeUndefined());
});

test('who has left and goes on unpacking holds nothing', async () => {
  const room = createRoom(10);
  let late: ((bytes: number) => unknown) | undefined;
  await room.seated(async (hold) => {
    await hold(5);
    late = hold;
  });
  expect(late?.(9)).toBeUndefined();
  await room.seated(async (hold) => {
    hold(1);
    await room.seated(async (own) => expect(own(9)).toBeUndefined());
  });
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
              await hold(size);
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
    { numRuns: fuzzRuns(200) },
  );
});
