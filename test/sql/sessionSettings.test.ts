import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, onTestFinished, test } from 'vitest';
import { queryOf } from '../../src/load/database/transaction.ts';
import { readAudits } from '../../src/transform/audits/readAudits.ts';
import { readModels } from '../../src/transform/models/readModels.ts';
import { recordedFolder } from './recordedWarehouse.ts';

async function askerOf(file: string, config?: Record<string, string>) {
  const instance = await DuckDBInstance.create(file, config);
  onTestFinished(() => instance.closeSync());
  return queryOf(await instance.connect());
}

/** Whatever a session may set that says what SQL means. */
const odd = [
  `default_order = 'DESC'`,
  `default_null_order = 'NULLS_FIRST'`,
  `TimeZone = 'America/New_York'`,
  'integer_division = true',
  'old_implicit_casting = true',
  'ieee_floating_point_ops = false',
  'scalar_subquery_error_on_multiple_rows = false',
  'preserve_insertion_order = false',
  'threads = 1',
  `schema = 'mart'`,
];

test('every view that is published has the same rows whatever its reader sets', { tags: 'long' }, async () => {
  const ask = await askerOf(join(await recordedFolder(), 'analytics.duckdb'), { access_mode: 'READ_ONLY' });
  const views = await ask<{ name: string }>(
    `SELECT schema_name || '.' || view_name AS name FROM duckdb_views() WHERE NOT internal AND sql NOT LIKE '%read_parquet(%'`,
  );
  const each = views.map(({ name }) => `SELECT '${name}' AS name, count(*) AS n, sum(hash(v)) AS h FROM ${name} AS v`);
  const told = () => ask(`${each.join(' UNION ALL ')} ORDER BY name ASC`);
  const before = await told();
  expect(before.filter(({ n }) => n !== 0n).length).toBeGreaterThan(30);
  await ask(odd.map((setting) => `SET ${setting}`).join(';'));
  expect(await ask('SELECT i FROM range(2) AS r (i) ORDER BY i')).toEqual([{ i: 1n }, { i: 0n }]);
  expect(await told()).toEqual(before);
});

test('models and audits that order rows say which way', async () => {
  const ask = await askerOf(':memory:');
  const undirected = async (sql: string) => {
    const [row] = await ask<{ tree: string }>(`SELECT json_serialize_sql('${sql.replaceAll("'", "''")}') AS tree`);
    return /"type":"ORDER_DEFAULT"/.test(row?.tree ?? '');
  };
  expect(await undirected('SELECT lead(x) OVER (ORDER BY x) FROM y')).toBe(true);
  expect(await undirected('SELECT lead(x) OVER (ORDER BY x ASC) FROM y')).toBe(false);
  const files = [...(await readModels()), ...(await readAudits())];
  const found: string[] = [];
  for (const { name, sql } of files) if (await undirected(sql)) found.push(name);
  expect(found).toEqual([]);
});
