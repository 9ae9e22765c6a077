import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { refusedParts } from '../../../src/report/query/refusedParts.ts';
import { parseTree } from '../../../src/transform/models/parseTree.ts';

const treeOf = async (sql: string) => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const reader = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [sql]);
  connection.closeSync();
  instance.closeSync();
  const tree = parseTree(String(reader.getRows()[0]?.[0]));
  expect(tree.error).toBe(false);
  return tree;
};

test.each([
  'FROM mart.metric',
  'SELECT count(*) FROM mart.metric AS m, range(10) AS r WHERE m.bucket IN (SELECT bucket FROM mart.reconciliation)',
  'WITH a AS (SELECT unnest([1, 2]) AS n) SELECT * FROM a JOIN generate_series(1, 3) USING (n)',
  'DESCRIBE mart.metric',
  'SHOW TABLES',
  'SELECT table_name FROM duckdb_tables()',
  'SELECT * FROM mart.metric WHERE "value" BETWEEN -1e400 AND 1e999',
  "SELECT '\\\\\", Infinity' AS \"Infinity\", '\\\\' AS b, 1e400 AS c",
  "PIVOT mart.metric ON metric IN ('txCount', 'gasUsed') USING sum(numerator)",
])('%s is harmless', async (sql) => {
  expect(refusedParts(await treeOf(sql))).toEqual([]);
});

test.each([
  ["FROM read_text('/etc/passwd')", ['the function read_text']],
  ["SELECT (SELECT max(content) FROM READ_TEXT('x'))", ['the function read_text']],
  ["WITH a AS (FROM glob('*')) SELECT 1 FROM b WHERE EXISTS (FROM a)", ['the function glob']],
  ["FROM '/etc/passwd'", ['the file /etc/passwd']],
  ["SUMMARIZE 'lake/x.parquet'", ['the file lake/x.parquet']],
  ["SELECT * FROM x, LATERAL (FROM 'https://a.example/b.csv')", ['the file https://a.example/b.csv']],
  ["SELECT 1e400, '\", Infinity', -1e400 FROM read_text('x') WHERE '\\\\' < 1e400", ['the function read_text']],
  ["PIVOT 'lake/x.parquet' ON a IN (1e400) USING sum(b)", ['the file lake/x.parquet']],
  ["FROM query('SELECT 1')", ['the function query']],
  ["FROM enable_profiling(save_location = '/tmp/x')", ['the function enable_profiling']],
  ['SELECT 1 UNION ALL FROM arrow_scan(1, 2, 3)', ['the function arrow_scan']],
])('%s is not', async (sql, refused) => {
  expect(refusedParts(await treeOf(sql))).toEqual(refused);
});
