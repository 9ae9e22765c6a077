import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAnswerMemory } from '../../../src/core/rows/answerMemory.ts';

// That of the process may be full of what other files left.
const { take: takeMemory, give: giveMemory } = createAnswerMemory();

test('memory that was given back is taken again, by one answer at a time', () => {
  const first = takeMemory(100_000);
  giveMemory(first);
  giveMemory(first);
  const [second, third] = [takeMemory(99_000), takeMemory(99_000)];
  expect(second.buffer).toBe(first.buffer);
  expect(third.buffer).not.toBe(first.buffer);
  expect([second.length, third.length]).toEqual([99_000, 99_000]);
});

test('memory that came from elsewhere is left alone', () => {
  const foreign = Buffer.allocUnsafeSlow(131_072);
  giveMemory(foreign);
  expect(takeMemory(foreign.length).buffer).not.toBe(foreign.buffer);
});

test('answers of any size have room, a quarter more at most, and share none', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 300_000 }), { maxLength: 20 }), (sizes) => {
      const taken = sizes.map(takeMemory);
      expect(taken.map(({ length }) => length)).toEqual(sizes);
      for (const { length, buffer } of taken) expect(buffer.byteLength).toBeLessThanOrEqual(length * 1.25 + 1);
      const shared = taken.filter(({ length }) => length > 0).map(({ buffer }) => buffer);
      expect(new Set(shared).size).toBe(shared.length);
      for (const bytes of taken) giveMemory(bytes);
    }),
  );
});
