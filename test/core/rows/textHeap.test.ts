import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TextHeap, viewWords } from '../../../src/core/rows/textHeap.ts';

test('two texts are the same where all of their bytes are', () => {
  const text = fc.oneof(
    fc.string({ maxLength: 30 }),
    fc.constantFrom('a'.repeat(4), 'a'.repeat(8), 'a'.repeat(12), 'a'.repeat(13), `${'a'.repeat(40)}b`),
  );
  fc.assert(
    fc.property(text, text, (one, other) => {
      const [heap, otherHeap] = [new TextHeap(), new TextHeap()];
      const [entries, otherEntries] = [new Int32Array(2 * viewWords), new Int32Array(3 * viewWords)];
      heap.writeText(entries, 0, one);
      // What lies behind it in the heap is not of it.
      heap.writeText(entries, 1, 'behind'.repeat(5));
      otherHeap.writeText(otherEntries, 2, other);
      expect(heap.isSame(entries, 0, otherHeap, otherEntries, 2)).toBe(one === other);
      // Nor is what stood in its entry before.
      otherHeap.writeText(otherEntries, 2, one);
      expect(heap.isSame(entries, 0, otherHeap, otherEntries, 2)).toBe(true);
      expect(heap.hashAt(entries, 0, 1)).toBe(otherHeap.hashAt(otherEntries, 2, 1));
    }),
  );
});

test('texts of one length that differ in any one byte are not the same', () => {
  const heap = new TextHeap();
  const entries = new Int32Array(2 * viewWords);
  for (let length = 1; length <= 40; length++) {
    const text = 'a'.repeat(length);
    heap.writeText(entries, 0, text);
    for (let at = 0; at < length; at++) {
      heap.writeText(entries, 1, `${text.slice(0, at)}b${text.slice(at + 1)}`);
      expect([length, at, heap.isSame(entries, 0, heap, entries, 1)]).toEqual([length, at, false]);
    }
  }
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

test('an answer that is kept again, once all was let go of, is found at its new place', () => {
  const heap = new TextHeap();
  const [one, other] = [Buffer.from('one'), Buffer.from('other')];
  heap.keep(other);
  expect([heap.keep(one), heap.keep(one)]).toEqual([1, 1]);
  heap.clear();
  expect([heap.keep(one), heap.buffers, heap.bytes]).toEqual([0, [one], 3]);
});
