import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { identifier, keyList, literal } from '../../../src/core/text/sqlText.ts';
import { fuzzRuns } from '../../fuzzRuns.ts';

let instance: DuckDBInstance;
beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:');
});
afterAll(() => instance.closeSync());

/** Quotes, comments, statements, NUL: whatever an id or a name from outside may hold. */
const odd = fc.oneof(
  fc.string({ unit: fc.constantFrom("'", '"', '\0', ';', '-', '/', '*', '\\', '$', 'a', '\n', 'é', '😀') }),
  fc.string({ unit: 'grapheme' }),
);

test('a literal is the text that it was made of, and nothing else', async () => {
  const connection = await instance.connect();
  await fc.assert(
    fc.asyncProperty(odd, async (text) => {
      const reader = await connection.runAndReadAll(`SELECT ${literal(text)} AS t, ${literal(text)} = $1 AS same`, [
        text,
      ]);
      expect(reader.getRowObjectsJson()).toEqual([{ t: text, same: true }]);
    }),
    { numRuns: fuzzRuns(300) },
  );
  connection.closeSync();
});

test('keys are given as they are, and none where there are none', async () => {
  const connection = await instance.connect();
  for (const keys of [[], ["it's", 'a\0b', '']]) {
    const reader = await connection.runAndReadAll(`SELECT 'x' AS "key" UNION ALL ${keyList(keys)}`);
    expect(reader.getRowObjectsJson()).toEqual(['x', ...keys].map((key) => ({ key })));
  }
  connection.closeSync();
});

test('an identifier is the name that it was made of', async () => {
  const connection = await instance.connect();
  await fc.assert(
    fc.asyncProperty(
      odd.filter((name) => name !== '' && !name.includes('\0')),
      async (name) => {
        const reader = await connection.runAndReadAll(`SELECT 1 AS ${identifier(name)}`);
        expect(reader.columnNames()).toEqual([name]);
      },
    ),
    { numRuns: fuzzRuns(200) },
  );
  connection.closeSync();
});
