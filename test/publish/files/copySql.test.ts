import { expect, test } from 'vitest';
import { copySql, rowGroupRows } from '../../../src/publish/files/copySql.ts';

const table = { schema: 'mart', name: 'x', comment: null, viewSql: undefined, isEmpty: false, columns: [] };
const unit = {
  table,
  layout: { sort: [] },
  columns: [],
  condition: 'true',
  rowGroupRows: 122_880,
  path: '/lake/x.parquet',
};

// DuckDB clears the memory of a dictionary of this size for every column before it writes a row.
test.each([
  [3, 2_048],
  [5_000, 5_000],
  [2_000_000, 122_880],
])('the dictionaries of %d rows have room for %d values', (rows, values) => {
  expect(copySql({ ...unit, rows })).toContain(`DICTIONARY_SIZE_LIMIT ${values},`);
});

// Rows of a megabyte each would make a reader hold 120 GB.
test.each([
  [0, 0, 122_880],
  [1_000_000, 0, 122_880],
  [1_000_000, 100_000_000, 122_880],
  [1_000_000, 1_000_000_000, 65_536],
  [5_000, 5_000_000_000, 2_048],
])('of %d rows with %d bytes of texts and bytes, a row group has %d', (rows, bytes, expected) => {
  expect(rowGroupRows(rows, bytes)).toBe(expected);
});

const addresses = {
  ...table,
  columns: ['chain_id', 'address'].map((name) => ({ name, type: 'VARCHAR', comment: null })),
};

test.each([
  [['chain_id', 'address'], 2_048],
  [['chain_id', 'number'], 122_880],
  [['chain_id', 'hour', 'address'], 122_880],
  [['address'], 122_880],
])('where rows are in the order of %j, dictionaries have room for %d values', (sort, values) => {
  const sql = copySql({ ...unit, table: addresses, layout: { sort }, rows: 2_000_000 });
  expect(sql).toContain(`DICTIONARY_SIZE_LIMIT ${values},`);
});
