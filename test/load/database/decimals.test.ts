/** @module-tag long */
import { expect, test } from 'vitest';
import { catalogue } from '../../../pipelines/index.ts';
import { duckdbType } from '../../../src/core/columns/columnType.ts';
import { createTableSql, type Table } from '../../../src/core/columns/table.ts';
import { tablesOf } from '../../../src/core/stream/stream.ts';
import { openWarehouse } from '../../../src/load/state/warehouse.ts';
import { temporary } from '../../temporaryFolders.ts';
import { temporaryWarehouse } from '../temporaryWarehouse.ts';

const tables = tablesOf(catalogue);

/** Columns of members that services have had since Helicon only: 0.1 made none of them. */
const isYounger = (name: string) => /^auto_(renew|compound)_/.test(name);

/** The decimals that were doubles in 0.1, which kept no values by day. */
const decimals = tables
  .filter(({ name }) => !name.endsWith('_daily'))
  .flatMap((table) =>
    table.columns
      .filter(({ type, name }) => type === 'decimal18' && !isYounger(name))
      .map(({ name }) => ({ table, name })),
  );

/** A table as 0.1 made it: doubles, and no columns for what does not fit. */
const asBefore = (table: Table): Table => {
  const names = new Set(table.columns.map(({ name }) => name));
  const columns = table.columns
    .filter(({ name }) => !isYounger(name) && !(name.endsWith('_text') && names.has(name.slice(0, -5))))
    .map((column) => (column.type === 'decimal18' ? { ...column, type: 'double' as const } : column));
  return { ...table, columns };
};

test('a warehouse of 0.1 keeps its history: doubles become the decimals that they were read from', async () => {
  const folder = await temporary();
  const before = await temporaryWarehouse([], folder);
  // Undoes what 0.1 did not know: the schema version, and its tables.
  await before.run('DELETE FROM main.firn_schema_version WHERE "version" >= 80');
  for (const table of new Set(decimals.map((decimal) => decimal.table)))
    await before.run(createTableSql(asBefore(table)));
  const written: (readonly [string, string | null, string | null])[] = [
    ['99.98', '99.980000000000000000', null],
    ['0.1', '0.100000000000000000', null],
    ['1e-7', '0.000000100000000000', null],
    ['100', '100.000000000000000000', null],
    ['1e30', null, '1e+30'],
    ['1e-30', null, '1e-30'],
  ];
  for (const { table, name } of decimals) {
    const needed = table.columns.filter((column) => !column.nullable && column.name !== name);
    const filled = needed.map(({ name: column, type }) =>
      type === 'timestamp'
        ? `TIMESTAMP '2026-01-01' AS "${column}"`
        : `CAST('0' AS ${duckdbType(type)}) AS "${column}"`,
    );
    for (const [double] of written) {
      await before.run(
        `INSERT INTO ${table.name} BY NAME SELECT ${[...filled, `CAST('${double}' AS DOUBLE) AS "${name}"`].join(', ')}`,
      );
    }
  }
  before.close();

  const warehouse = await openWarehouse({ folder, tables });
  try {
    expect(decimals).toHaveLength(25);
    for (const { table, name } of decimals) {
      const rows = await warehouse.query<{ held: string | null; text: string | null }>(
        `SELECT CAST("${name}" AS VARCHAR) AS held, "${name}_text" AS "text" FROM ${table.name}
         WHERE "${name}" IS NOT NULL OR "${name}_text" IS NOT NULL ORDER BY rowid`,
      );
      expect(rows).toEqual(written.map(([, held, text]) => ({ held, text })));
    }
    const types = await warehouse.query(
      `SELECT table_name || '.' || column_name AS "column" FROM duckdb_columns()
       WHERE schema_name = 'raw' AND data_type = 'DOUBLE'`,
    );
    expect(types).toEqual([]);
  } finally {
    warehouse.close();
  }
});
