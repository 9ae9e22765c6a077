import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tableQuery } from '../../../src/report/tables/tableQuery.ts';

const columns = new Map([
  ['number', 'BIGINT'],
  ['hash', 'VARCHAR'],
  ['odd "name"', 'DECIMAL(38,0)'],
  ['block_time', 'TIMESTAMP'],
]);
const query = (parameters: string) => tableQuery('mart.fct_block', columns, new URLSearchParams(parameters));

describe('what an address asks of a table', () => {
  test.each([
    ['', 'SELECT * FROM "mart"."fct_block"'],
    ['column=number&column=hash', 'SELECT "number", "hash" FROM "mart"."fct_block"'],
    [
      'c=number&o=ge&v=957&c=hash&o=has&v=0xAB',
      'SELECT * FROM "mart"."fct_block"\nWHERE "number" >= CAST(\'957\' AS BIGINT) AND contains(lower(CAST("hash" AS VARCHAR)), lower(\'0xAB\'))',
    ],
    ['c=hash&o=null&v=', 'SELECT * FROM "mart"."fct_block"\nWHERE "hash" IS NULL'],
    ['c=hash&o=has&v=', 'SELECT * FROM "mart"."fct_block"'],
    ['c=hash&o=eq&v=', 'SELECT * FROM "mart"."fct_block"\nWHERE "hash" = CAST(\'\' AS VARCHAR)'],
    [
      'sort=-number&sort=hash',
      'SELECT * FROM "mart"."fct_block"\nORDER BY "number" DESC NULLS LAST, "hash" NULLS LAST',
    ],
    [
      'c=odd+%22name%22&o=ne&v=1',
      'SELECT * FROM "mart"."fct_block"\nWHERE "odd ""name""" IS DISTINCT FROM CAST(\'1\' AS DECIMAL(38,0))',
    ],
    [
      'c=block_time&o=lt&v=2026-04-04T20:00:00%2B02:00',
      `SELECT * FROM "mart"."fct_block"\nWHERE "block_time" < CAST(CAST('2026-04-04T20:00:00+02:00' AS TIMESTAMPTZ) AS TIMESTAMP)`,
    ],
  ])('%s', (parameters, sql) => {
    expect(query(parameters).sql).toBe(sql);
  });

  test.each([
    [
      'c=number&o=ge&v=7&c=hash&o=null',
      'SELECT * FROM "mart"."fct_block"\nWHERE "number" >= CAST(\'7\' AS BIGINT) AND "hash" IS NULL',
    ],
    ['c=hash&o=given', 'SELECT * FROM "mart"."fct_block"\nWHERE "hash" IS NOT NULL'],
    [
      'sort=-number',
      'SELECT * FROM "mart"."fct_block"\nORDER BY "number" DESC NULLS LAST, "number", "hash", "odd ""name""", "block_time"',
    ],
    ['column=hash&sort=number', 'SELECT "hash" FROM "mart"."fct_block"\nORDER BY "number" NULLS LAST, "hash"'],
  ])('a page of %s leaves no order open', (parameters, sql) => {
    expect(query(parameters).pageSql).toBe(sql);
  });

  test.each([
    ['c=nunber&o=eq&v=1', 'Did you mean number?'],
    ['c=number&o=like&v=1', 'no operator "like"'],
    ['sort=-none', 'no column "none"'],
    ['column=*', 'no column "*"'],
    ['from=-1', 'whole number'],
    ['most=1e9', 'whole number'],
    ['most=1001', '"most" must be from 1 to 1000, not 1001'],
    ['most=0', '"most" must be from 1 to 1000, not 0'],
    ['limit=5', 'not asked by "limit"'],
    ['C=number&o=eq&v=1', 'not asked by "C"'],
    ['v=3', 'Every filter has'],
    ['c=number&v=1', 'Every filter has'],
    ['c=number&o=ge', 'Every filter has'],
    ['c=hash&o=null&c=hash&o=has&v=0xab', 'Every filter has'],
    ['c=hash&o=null&c=hash&o=has&v=0xab&c=number&o=given&v=', 'Every filter has'],
  ])('%s is refused', (parameters, said) => {
    expect(() => query(parameters)).toThrow(said);
  });

  test('a page has at most 1000 rows', () => {
    expect([query('').most, query('most=20&from=40'), query('most=1000').most]).toEqual([
      50,
      expect.objectContaining({ most: 20, from: 40 }),
      1000,
    ]);
  });

  test('no value gets out of its quotes', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }).filter((text) => !text.includes('\0')),
        (value) => {
          const { sql } = query(new URLSearchParams({ c: 'hash', o: 'eq', v: value }).toString());
          const [, quoted = ''] = /CAST\('(.*)' AS VARCHAR\)$/s.exec(sql) ?? [];
          expect(quoted.replaceAll("''", '')).not.toContain("'");
          expect(quoted.replaceAll("''", "'")).toBe(new URLSearchParams({ v: value }).get('v'));
        },
      ),
    );
  });
});
