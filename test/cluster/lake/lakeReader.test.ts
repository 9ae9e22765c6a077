import { expect, test } from 'vitest';
import type { Engine } from '../../../src/cluster/contract.ts';
import { lakeReader } from '../../../src/cluster/lake/lakeReader.ts';

const name = (relation: string) => `own_${relation}`;

/** An engine in which these views are there, and what it was asked. */
function engineWith(...views: string[]) {
  const asked: string[] = [];
  const query = async (sql: string) => {
    asked.push(sql);
    return asked.length === 1 ? views.map((view) => ({ view: `own_published_firn.${view}` })) : [];
  };
  const words = { macros: new Map() };
  return { engine: { name, query, words } as unknown as Engine, asked };
}

test.each([
  ['says its columns itself', ['published', 'relation'], 'FROM own_published_firn.relation ORDER BY'],
  [
    'of an earlier firn is asked for them',
    ['published'],
    `table_schema IN ('own_published_raw', 'own_published_staging'`,
  ],
])('a version that %s', async (_, views, sql) => {
  const { engine, asked } = engineWith(...views);
  const reader = await lakeReader(engine, {});
  await reader.query('SELECT column_name FROM information_schema.columns ORDER BY 1');
  expect(asked[1]).toContain(sql);
});

const readerIn = (engine: Engine, catalog: string) =>
  lakeReader(engine, { engine: { trino: '', catalog, stageCatalog: '', schema: '', user: '' } });

test('a catalog whose name is no plain word is pasted in quotes', async () => {
  const { toPaste } = await readerIn(engineWith('published', 'relation').engine, 'data-lake');
  expect(toPaste?.('SELECT * FROM mart.metric')).toBe('SELECT * FROM "data-lake".own_published_mart.metric');
});

test('what is printed to be pasted names what readers see, and needs no word of DuckDB', async () => {
  const { engine } = engineWith('published', 'relation');
  const { toPaste } = await readerIn(engine, 'lake');
  expect(toPaste?.('SELECT * FROM mart.metric_txCount AS m')).toBe(
    'SELECT * FROM lake.own_published_mart.metric_txCount AS m',
  );
  const sql = "SELECT getvariable('firn_variant') AS said, bucket FROM firn.coverage";
  const reading = { name: 'mart.metric_txCount', sql, variant: 'with_atomic' };
  const pasted = toPaste?.('SELECT * FROM mart.metric_txCount', reading);
  expect(pasted).toContain("SELECT 'with_atomic' AS said, bucket FROM lake.own_published_firn.coverage");
  expect(pasted).not.toMatch(/VARIABLE|mart\.metric_txCount\b(?!")/i);
});

test('what was never published says so', async () => {
  await expect(lakeReader(engineWith('relation').engine, {})).rejects.toMatchObject({ code: 'not_found' });
});
