import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fileNameOf } from '../../../src/run/exports/fileNameOf.ts';

test.each(['2b1f0c1e-7a3b-4f0e-9d5e-0123456789ab', 'op_1', '7', 'x'.repeat(80), 'console', 'com10'])(
  'the plain id %s names its file',
  (id) => expect(fileNameOf(id)).toBe(id),
);

const odd = [
  '',
  '.',
  '..',
  '../../x',
  '/etc/passwd',
  'C:\\x',
  'a/b',
  'a_b/',
  'a\0b',
  'con',
  'nul',
  'com1',
  'CON',
  'A',
  'a.csv',
];
const long = ['x'.repeat(81), 'x'.repeat(400), `${'x'.repeat(399)}y`];
const unseen = ['-rf', '~', ' a', 'a ', 'a.', 'ü', 'u\u0308', '\ud800', '\ud801', '\ufffd', '\u202e', 'a\n'];

/** What every file system takes as one name, and keeps apart from others. */
const safe = /^[A-Za-z\d_][A-Za-z\d_-]*(~[\da-f]{64})?$/;

test('ids of any kind have names of their own, all of them safe', () => {
  const ids = [...odd, ...long, ...unseen, 'a', 'a_b', 'x'.repeat(80)];
  const names = ids.map(fileNameOf);
  expect(names.filter((name) => name.length > 110 || !(safe.test(name) || /^~[\da-f]{64}$/.test(name)))).toEqual([]);
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(ids.length);
});

test('no two ids share a name, and none leads elsewhere', { tags: 'long' }, () => {
  const id = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 500 }),
    fc.string({ unit: fc.constantFrom('.', '/', '\\', ':', 'a', 'A', '~', '_'), maxLength: 6 }),
  );
  fc.assert(
    fc.property(id, id, (one, other) => {
      const [first, second] = [fileNameOf(one), fileNameOf(other)];
      expect(first).toMatch(/^[\w~-]{1,110}$/);
      expect(first.toLowerCase() === second.toLowerCase()).toBe(one === other);
    }),
  );
});
