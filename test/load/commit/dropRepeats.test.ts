import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ownColumn } from '../../../src/core/columns/table.ts';
import { Rows } from '../../../src/core/rows/rows.ts';
import { dropRepeats } from '../../../src/load/commit/dropRepeats.ts';

const columns = [ownColumn('id', 'varchar'), ownColumn('ordinal', 'integer', true), ownColumn('seen', 'bigint')];
type Row = { readonly id: string; readonly ordinal: number | null; readonly seen: bigint };

function rowsOf(rows: readonly Row[]): Rows {
  const made = new Rows(columns);
  for (const row of rows) made.append(row);
  return made;
}
const seenIn = (rows: Rows) => Array.from({ length: rows.length }, (_, row) => rows.named('seen').numberAt(row));

test('of rows with the same key the last one stays, in whichever part it is', () => {
  const id = fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.constantFrom('a', 'a'.repeat(12), 'a'.repeat(13), `b${'a'.repeat(12)}`),
  );
  const row = fc.record({ id, ordinal: fc.constantFrom(null, 0, 1) });
  fc.assert(
    fc.property(fc.array(fc.array(row, { maxLength: 12 }), { maxLength: 4 }), (keys) => {
      let seen = 0n;
      const parts = keys.map((part) => part.map((key) => ({ ...key, seen: seen++ })));
      const last = new Map(parts.flat().map((one) => [`${one.ordinal} ${one.id}`, one.seen]));
      const held = parts.map(rowsOf);
      dropRepeats(held, ['id', 'ordinal']);
      expect(held.flatMap(seenIn)).toEqual([...last.values()].map(Number).sort((a, b) => a - b));
    }),
  );
});

// Compared with all others, they would keep it busy for minutes; of so many some have the same hash.
test('keys that differ at one place only, wherever it is, are told apart by their hashes, or else by what they are', {
  tags: 'long',
}, () => {
  const many = 200_000;
  const alike = (at: 'start' | 'middle' | 'end') => (_: unknown, i: number) => {
    const around = 'x'.repeat(40);
    const [before, behind] = { start: ['', around], middle: [around, around], end: [around, ''] }[at] as [
      string,
      string,
    ];
    return { id: `${before}${i}${behind}`, ordinal: 0, seen: BigInt(i) };
  };
  for (const at of ['start', 'middle', 'end'] as const) {
    const rows = rowsOf(Array.from({ length: many }, alike(at)));
    dropRepeats([rows], ['id']);
    expect(rows.length).toBe(many);
  }
});
