import fc from 'fast-check';
import { expect, test } from 'vitest';
import { flatJsonText, jsonText } from '../../../src/core/json/jsonText.ts';
import { parseLossless } from '../../../src/core/json/parseLossless.ts';
import { Verbatim } from '../../../src/core/json/verbatim.ts';

test('members that are undefined are none, and items are null', () => {
  const value = { a: undefined, b: [undefined], c: 1 };
  expect(jsonText(value)).toBe(JSON.stringify(value));
});

test('what holds something nested too deep is no text of a column', () => {
  const deep = parseLossless(`{"a":[1,${'['.repeat(200)}${']'.repeat(200)}]}`);
  expect([flatJsonText(deep), flatJsonText({ a: [1, new Verbatim('1e400')] })]).toEqual([null, '{"a":[1,1e400]}']);
});

test('it writes what JSON.stringify does where there is no bigint', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      expect(jsonText(value)).toBe(JSON.stringify(value));
    }),
  );
});
