import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { answerQuery } from '../../../src/report/query/answerQuery.ts';
import { temporary } from '../../temporaryFolders.ts';

test('rows of a megabyte each are written as CSV a few at a time: all of them are more than a string holds', async () => {
  const folder = await temporary();
  (await DuckDBInstance.create(join(folder, 'analytics.duckdb'))).closeSync();
  const limits = { from: 0, most: 0, longest: 1, time: 60_000, threads: 1, memory: 500, processMemory: 2000 };
  const pieces: string[] = [];
  const sql = `SELECT i, repeat('x', 900000) AS t FROM range(20) AS r (i)`;
  await answerQuery({ folder, sql, as: 'csv', ...limits }, async (piece) => void pieces.push(piece));
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(2_000_000);
  const lines = pieces.join('').split('\r\n');
  expect([lines.length, lines[0], lines[20]?.slice(0, 5), lines[21]]).toEqual([22, 'i,t', '19,xx', '']);
});
