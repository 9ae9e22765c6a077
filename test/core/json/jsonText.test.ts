import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonText } from '../../../src/core/json/jsonText.ts';

test('it writes what JSON.stringify does where there is no bigint', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      expect(jsonText(value)).toBe(JSON.stringify(value));
    }),
  );
});
