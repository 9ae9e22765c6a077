import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TextHeap, viewWords } from '../../../src/core/rows/textHeap.ts';

test('two texts are the same where all of their bytes are', () => {
  const text = fc.oneof(
    fc.string({ maxLength: 30 }),
    fc.constantFrom('a'.repeat(12), 'a'.repeat(13), `${'a'.repeat(40)}b`),
  );
  fc.assert(
    fc.property(text, text, (one, other) => {
      const [heap, otherHeap] = [new TextHeap(), new TextHeap()];
      const [entries, otherEntries] = [new Int32Array(viewWords), new Int32Array(3 * viewWords)];
      heap.writeText(entries, 0, one);
      otherHeap.writeText(otherEntries, 2, other);
      expect(heap.isSame(entries, 0, otherHeap, otherEntries, 2)).toBe(one === other);
      otherHeap.writeText(otherEntries, 1, one);
      expect(heap.isSame(entries, 0, otherHeap, otherEntries, 1)).toBe(true);
    }),
  );
});

test.each([
  ['all of ASCII', 'a'.repeat(1_500_000)],
  ['of which one sign is not ASCII', `${'a'.repeat(1_500_000)}€`],
  ['of three bytes a sign', '€'.repeat(500_000)],
])('a long text %s has a buffer of its own length, which is copied whole when its row is handed over', (_, text) => {
  const heap = new TextHeap();
  const entries = new Int32Array(viewWords);
  heap.writeText(entries, 0, text);
  expect(Buffer.from(heap.bytesAt(entries, 0)).toString()).toBe(text);
  expect(heap.buffers.map(({ length }) => length)).toEqual([Buffer.byteLength(text)]);
});
