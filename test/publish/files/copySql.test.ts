import { expect, test } from 'vitest';
import { copySql } from '../../../src/publish/files/copySql.ts';

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
