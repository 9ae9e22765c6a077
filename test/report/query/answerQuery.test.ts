import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { answerQuery } from '../../../src/report/query/answerQuery.ts';
import { queryFile } from '../../cli/queryFile.ts';
import { temporary } from '../../temporaryFolders.ts';

const limits = { from: 0, most: 0, longest: 1, time: 60_000, threads: 1, memory: 500, processMemory: 2000 };

/** Writes into the reader database. */
async function changeReader(folder: string, sql: string): Promise<void> {
  const instance = await DuckDBInstance.create(join(folder, 'analytics.duckdb'));
  const connection = await instance.connect();
  await connection.run(sql);
  connection.closeSync();
  instance.closeSync();
}

test('of a relation that is held back since the first build it says so, not that it does not exist', async () => {
  const folder = await temporary();
  const ask = (relation: string) =>
    answerQuery({ folder, sql: `SELECT 1 FROM ${relation}`, as: 'rows', ...limits }, async () => {});
  await changeReader(folder, 'CREATE SCHEMA mart; CREATE SCHEMA firn');
  await expect(ask('mart.metric')).rejects.toThrow('Table with name metric does not exist');
  await changeReader(folder, `CREATE TABLE firn.held_back AS SELECT 'mart.metric' AS relation`);
  for (const name of ['mart.metric', 'mart.METRIC'])
    await expect(ask(name)).rejects.toMatchObject({
      code: 'usage',
      message: 'mart.metric is held back since the first build: "firn status" says why, and what to do.',
    });
  await expect(ask('mart.metrics')).rejects.toThrow('Table with name metrics does not exist');
});

test('rows of a megabyte each are written as CSV a few at a time: all of them are more than a string holds', async () => {
  const folder = await temporary();
  await changeReader(folder, 'SELECT 1');
  const pieces: string[] = [];
  const sql = `SELECT i, repeat('x', 900000) AS t FROM range(20) AS r (i)`;
  await answerQuery({ folder, sql, as: 'csv', ...limits }, async (piece) => void pieces.push(piece));
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(2_000_000);
  const lines = pieces.join('').split('\r\n');
  expect([lines.length, lines[0], lines[20]?.slice(0, 5), lines[21]]).toEqual([22, 'i,t', '19,xx', '']);
});

test('rows so wide that a usual row group of them does not fit into the memory are written as Parquet, in their order', {
  tags: 'long',
}, async () => {
  const folder = await temporary();
  await changeReader(folder, 'SELECT 1');
  const file = join(folder, 'rows.parquet');
  const sql = `SELECT i, repeat(md5(CAST(i AS VARCHAR)), 600) AS t FROM range(20000) AS r (i)`;
  await answerQuery({ folder, sql, as: 'parquet', file, ...limits, memory: 250 }, async () => {});
  expect(
    await queryFile(
      join(folder, 'analytics.duckdb'),
      `SELECT count(*)::INT AS n, bool_and(i = place) AS in_order FROM (SELECT i, row_number() OVER () - 1 AS place FROM '${file}')`,
    ),
  ).toEqual([{ n: 20_000, in_order: true }]);
});
