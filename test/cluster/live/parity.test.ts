import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine, LakeTable, PublishedVersion } from '../../../src/cluster/contract.ts';
import { buildLake, renderingOf } from '../../../src/cluster/lake/buildLake.ts';
import { publishedName, publishLake } from '../../../src/cluster/lake/publishLake.ts';
import { type Rendering, renderForTrino } from '../../../src/cluster/render/renderForTrino.ts';
import { FirnError } from '../../../src/core/firnError.ts';
import type { Warehouse } from '../../../src/load/warehouse.ts';
import type { PlacedModel } from '../../../src/transform/model.ts';
import { modelReferences } from '../../../src/transform/modelReferences.ts';
import { placeModels } from '../../../src/transform/placeModels.ts';
import { readAudits } from '../../../src/transform/readAudits.ts';
import { readModels } from '../../../src/transform/readModels.ts';
import { recordedWarehouse } from '../../sql/recordedWarehouse.ts';
import { differences } from './compareRelations.ts';
import { lakeClient, lakeEngine, stagePlace } from './lake.ts';
import { fillLake } from './lakeOf.ts';

const files = await readModels();
const audits = await readAudits();
const variants = files.flatMap((model) =>
  Object.keys(model.metric?.variants ?? {}).map((variant) => ({ model, variant })),
);

const client = lakeClient();
let own: { warehouse: Warehouse; dispose(): Promise<void> };
let engine: Engine;
let models: PlacedModel[];
let rendering: Rendering;
let tables: LakeTable[];
let took: Record<string, string>[];

beforeAll(async () => {
  own = await recordedWarehouse();
  models = await placeModels(own.warehouse, files);
  engine = lakeEngine(client);
  rendering = renderingOf(engine, models);
  tables = await fillLake(own.warehouse, engine, await rawNames(), stagePlace());
  await buildLake({
    engine,
    models,
    rendering,
    onBroken: ({ error }) => {
      throw error;
    },
  });
  took = await engine.query(
    `SELECT node_id AS node FROM system.runtime.tasks WHERE raw_input_rows > 0 GROUP BY node_id ORDER BY node_id`,
  );
});
afterAll(async () => {
  await client.close();
  await own.dispose();
});

/** What models and audits read and no model makes. */
async function rawNames(): Promise<string[]> {
  const read = await modelReferences(
    own.warehouse,
    audits.map((audit) => ({ ...audit, place: { path: audit.file, line: audit.line } })),
  );
  const named = [...read.values()].flatMap((found) => (found instanceof FirnError ? [] : found.relations));
  const made = new Set(['information_schema.columns', ...models.map(({ name }) => name)]);
  return [...new Set([...models.flatMap(({ references }) => references), ...named])]
    .filter((name) => !made.has(name))
    .sort();
}

test('both workers took part', () => {
  expect(took.map(({ node }) => node)).toEqual(expect.arrayContaining(['worker1', 'worker2']));
});

test.each(files)('$name has the rows and types of DuckDB', async ({ name }) => {
  const sql = renderForTrino(`SELECT * FROM ${name}`, rendering);
  expect(await differences(own.warehouse, client, name, sql)).toEqual([]);
});

test.each(variants)('$model.name reads $variant as DuckDB does', async ({ model: { name }, variant }) => {
  const scope = { firn_variant: variant };
  await own.warehouse.run(`SET VARIABLE firn_variant = '${variant}'`);
  try {
    const sql = renderForTrino(`SELECT * FROM ${name}`, { ...rendering, scope });
    expect(await differences(own.warehouse, client, name, sql)).toEqual([]);
  } finally {
    await own.warehouse.run('RESET VARIABLE firn_variant');
  }
});

test.each(audits)('$name says what it says of DuckDB', async ({ sql }) => {
  const [mine] = await own.warehouse.query(`SELECT count(*) AS failed FROM (${sql})`);
  expect(await engine.query(`SELECT count(*) AS failed FROM (${renderForTrino(sql, rendering)})`)).toEqual([mine]);
});

describe('a published version', () => {
  const ledger = {
    publish: async (snapshots: PublishedVersion['snapshots']) => ({
      id: 1,
      snapshots,
      publishedAt: '2026-01-01T00:00:00Z',
    }),
  };

  test('stays as it was, whatever is built after it', async () => {
    const seen = [
      ['mart.fct_block', 'count(*) AS held, sum(tx_count) AS total'],
      ['staging.evm_block', 'count(*) AS held, max("number") AS total'],
    ];
    const look = () =>
      Promise.all(
        seen.map(([name = '', what]) => engine.query(`SELECT ${what} FROM ${engine.name(publishedName(name))}`)),
      );
    const shown = models.filter(({ name }) => seen.some(([one]) => one === name));
    const below = tables.filter(({ name }) =>
      models.some((model) => model.name === 'staging.evm_block' && model.references.includes(name)),
    );
    const version = await publishLake(engine, ledger, shown, [...below, { name: 'firn.model', columns: [] }]);
    expect(Object.keys(version.snapshots)).toContain('mart.fct_block');
    const before = await look();
    await engine.build('mart.fct_block', `SELECT * FROM ${engine.name('mart.fct_block')} WHERE tx_count = 0`);
    await engine.query(`DELETE FROM ${engine.name('raw.node_evm_blocks')} WHERE "number" > 10`);
    expect(await look()).toEqual(before);
  });
});
