import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, onTestFinished, test } from 'vitest';
import { parquetColumns } from '../../../src/core/columns/parquetColumns.ts';
import { copySql } from '../../../src/publish/files/copySql.ts';

const rows = 8_192;

test('who looks for a hash or an address that is not there reads no row group, and else those alone that may have it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'firn-bloom-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(`CREATE SCHEMA mart; CREATE TABLE mart.fct_transaction AS
    SELECT i AS "number", '0x' || sha256(CAST(i AS VARCHAR)) AS hash, '0x' || left(md5(CAST(i % 3000 AS VARCHAR)), 40) AS from_address
    FROM range(${rows}) AS r(i)`);
  const column = (name: string, type: string) => ({ name, type, comment: null });
  const table = {
    schema: 'mart',
    name: 'fct_transaction',
    comment: null,
    viewSql: undefined,
    isEmpty: false,
    columns: [column('number', 'BIGINT'), column('hash', 'VARCHAR'), column('from_address', 'VARCHAR')],
  };
  const path = join(folder, 'a.parquet');
  const options = { layout: { sort: ['number'] }, columns: parquetColumns(table), condition: 'true' };
  await connection.run(copySql({ table, ...options, rowGroupRows: 2_048, rows: 2_048, path }));

  const profile = join(folder, 'profile.json');
  const groupsRead = async (condition: string) => {
    await connection.run(
      `SET enable_profiling = 'json'; SET profiling_mode = 'all'; SET profiling_output = '${profile}'`,
    );
    const reader = await connection.runAndReadAll(`SELECT * FROM read_parquet('${path}') WHERE ${condition}`);
    await connection.run('PRAGMA disable_profiling');
    const told = JSON.parse(await readFile(profile, 'utf8'));
    expect(told.cumulative_total_row_groups_to_scan).toBe(4);
    return { found: reader.currentRowCount, groups: told.cumulative_row_groups_scanned };
  };
  const hash = (text: string) => `hash = '0x' || sha256('${text}')`;
  expect(await groupsRead(hash('5000'))).toEqual({ found: 1, groups: 1 });
  expect(await groupsRead(hash('nobody'))).toEqual({ found: 0, groups: 0 });
  expect(await groupsRead(`from_address = '0x' || left(md5('nobody'), 40)`)).toEqual({ found: 0, groups: 0 });
});
