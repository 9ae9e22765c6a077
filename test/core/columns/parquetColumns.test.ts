import { expect, test } from 'vitest';
import { parquetColumns, utcColumn } from '../../../src/core/columns/parquetColumns.ts';

const table = (type: string, name = 'a', schema = 'mart', comment: string | null = null) => ({
  schema,
  name: 't',
  columns: [{ name, type, comment }],
});

test.each([
  ['BIGINT', 'BIGINT', '"a"'],
  ['VARCHAR[]', 'VARCHAR[]', '"a"'],
  ['BLOB', 'BLOB', '"a"'],
  ['UBIGINT', 'DECIMAL(20,0)', 'CAST("a" AS DECIMAL(20,0))'],
  ['HUGEINT', 'DECIMAL(38,0)', 'CAST("a" AS DECIMAL(38,0))'],
  ['UINTEGER[]', 'BIGINT[]', 'CAST("a" AS BIGINT[])'],
  ['TIMESTAMP WITH TIME ZONE', 'TIMESTAMP', 'make_timestamp(epoch_us("a"))'],
  ["ENUM('a', 'b')", 'VARCHAR', 'CAST("a" AS VARCHAR)'],
])('%s is written as %s', (type, parquet, expression) => {
  expect(parquetColumns(table(type))[0]).toEqual({ name: 'a', type: parquet, expression, extra: false });
});

test.each(['DOUBLE', 'FLOAT', 'DOUBLE[]', 'STRUCT(a INTEGER)', 'MAP(VARCHAR, BIGINT)', 'BIT'])(
  '%s is refused',
  (type) => {
    expect(() => parquetColumns(table(type))).toThrow(expect.objectContaining({ code: 'contract' }));
  },
);

test('a double is taken from the list, and from no raw column', () => {
  expect(parquetColumns({ ...table('DOUBLE', 'value'), name: 'metric' })[0]?.type).toBe('DOUBLE');
  expect(parquetColumns({ ...table('FLOAT'), name: 'metric_daily' })[0]?.type).toBe('DOUBLE');
  expect(() => parquetColumns(table('DOUBLE', 'a', 'raw', 'Uptime. [percent]'))).toThrow();
});

test('text stands beside decimals of more than 28 digits, unless the table has such a column', () => {
  const names = (type: string, ...more: string[]) =>
    parquetColumns({
      ...table(type),
      columns: [...table(type).columns, ...more.flatMap((name) => table('VARCHAR', name).columns)],
    }).map(({ name }) => name);
  expect(names('DECIMAL(38,0)')).toEqual(['a', 'a_exact']);
  expect(names('HUGEINT')).toEqual(['a', 'a_exact']);
  expect(names('DECIMAL(28,0)')).toEqual(['a']);
  expect(names('UBIGINT')).toEqual(['a']);
  expect(names('DECIMAL(38,18)', 'a_exact')).toEqual(['a', 'a_exact']);
});

test('the text beside such a decimal holds the digits that the decimal cannot', () => {
  const columns = [...table('DECIMAL(38,0)').columns, ...table('VARCHAR', 'a_text').columns];
  const found = parquetColumns({ ...table('DECIMAL(38,0)'), columns });
  expect(found.at(-1)).toMatchObject({
    name: 'a_exact',
    expression: expect.stringMatching(/^coalesce\("a_text", CASE /),
  });
});

test('moments are compared in UTC, as the files have them', () => {
  expect(utcColumn(table('TIMESTAMP WITH TIME ZONE'), 'a')).toBe('make_timestamp(epoch_us("a"))');
  expect(utcColumn(table('TIMESTAMP'), 'a')).toBe('"a"');
});
