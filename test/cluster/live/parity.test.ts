import { startDevnet } from 'firn-devnet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine, LakeTable, PublishedVersion } from '../../../src/cluster/contract.ts';
import { publishedName } from '../../../src/cluster/engine/relationSchemas.ts';
import { buildLake } from '../../../src/cluster/lake/buildLake.ts';
import { renderingAt, takeCut } from '../../../src/cluster/lake/cut.ts';
import type { LakeCut } from '../../../src/cluster/lake/lakeCut.ts';
import { publishLake } from '../../../src/cluster/lake/publishLake.ts';
import { type Rendering, renderForTrino } from '../../../src/cluster/render/renderForTrino.ts';
import { FirnError } from '../../../src/core/firnError.ts';
import type { Warehouse } from '../../../src/load/state/warehouse.ts';
import { readAudits } from '../../../src/transform/audits/readAudits.ts';
import { mapAtOnce } from '../../../src/transform/mapAtOnce.ts';
import type { PlacedModel } from '../../../src/transform/models/model.ts';
import { modelReferences } from '../../../src/transform/models/modelReferences.ts';
import { placeModels } from '../../../src/transform/models/placeModels.ts';
import { readModels } from '../../../src/transform/models/readModels.ts';
import { project, sourcesOf } from '../../cli/cliHarness.ts';
import { recordedWarehouse } from '../../sql/recordedWarehouse.ts';
import { atOnce, auditDifferences, differences, variantDifferences } from './compareRelations.ts';
import { lakeClient, lakeEngine, stagePlace } from './lake.ts';
import { fillLake } from './lakeOf.ts';

const files = await readModels();
const audits = await readAudits();
const client = lakeClient();
afterAll(() => client.close());

/** What a recording holds, read and built by one machine. That with forks is read by workers in `commands.test.ts`. */
const recordings: Readonly<Record<string, typeof recordedWarehouse>> = {
  main: recordedWarehouse,
  signed: () => readHere('test/fixtures/node-ledger-signed'),
};

async function readHere(ledger: string): ReturnType<typeof recordedWarehouse> {
  const net = await startDevnet({ ledger });
  const streams = {
    'node/containers': {},
    'node/evm_blocks': { blockchainIds: ['C'], traces: true },
    'node/platform_blocks': {},
    'node/platform_validators': {},
    'data/primary_transactions': { from: new Date(net.ledger.firstMoment).toISOString().slice(0, 10) },
  };
  const self = await project({ sources: sourcesOf(net), pipelines: { p: { streams } } }, { isNew: true });
  expect(await self.firn('run')).toMatchObject({ code: 0 });
  await net.close();
  const warehouse = await self.open();
  return { warehouse, dispose: async () => warehouse.close() };
}

describe.each(Object.keys(recordings))('the recording %s', (recording) => {
  let own: Warehouse;
  let dispose: () => Promise<void>;
  let engine: Engine;
  let models: PlacedModel[];
  let rendering: Rendering;
  let tables: LakeTable[];
  let cut: LakeCut;
  let took: Record<string, string>[];

  beforeAll(async () => {
    ({ warehouse: own, dispose } = await (recordings[recording] as typeof recordedWarehouse)());
    models = await placeModels(own, files);
    engine = lakeEngine(client, recording);
    await engine.claim(recording);
    tables = await fillLake(own, engine, await rawNames(own, models), stagePlace(recording));
    cut = await takeCut(engine, { unbuiltBeside: async () => ({}) }, tables, []);
    rendering = renderingAt(engine, models, tables, cut);
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
  afterAll(() => dispose());

  test('both workers took part', () => {
    expect(took.map(({ node }) => node)).toEqual(expect.arrayContaining(['worker1', 'worker2']));
  });

  test('every model has the rows and types of DuckDB', async () => {
    const found = await mapAtOnce(models, atOnce, async ({ name }) => {
      const sql = renderForTrino(`SELECT * FROM ${name}`, rendering);
      return (await differences(own, client, name, sql)).map((problem) => `${name}: ${problem}`);
    });
    expect(found.length).toBeGreaterThan(50);
    expect(found.flat()).toEqual([]);
  });

  test('every variant of a metric is read as DuckDB does', async () => {
    expect(await variantDifferences({ own, client, rendering })).toEqual([]);
  });

  test('every audit says what it says of DuckDB', async () => {
    expect(await auditDifferences({ own, client, rendering })).toEqual([]);
  });

  test('a published version stays as it was, whatever is built after it', async () => {
    const ledger = {
      publish: async (snapshots: PublishedVersion['snapshots']) => ({
        id: 1,
        snapshots,
        publishedAt: '2026-01-01T00:00:00Z',
      }),
    };
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
    const own = [{ name: 'firn.model', columns: [] }];
    const onRefused = (_: string, error: Error) => expect.fail(error.message);
    const as = { held: new Set<string>(), before: undefined, onRefused };
    const version = await publishLake(engine, ledger, { models: shown, tables: below, own, cut, ...as });
    expect(Object.keys(version.snapshots)).toContain('mart.fct_block');
    const before = await look();
    await engine.build('mart.fct_block', `SELECT * FROM ${engine.name('mart.fct_block')} WHERE tx_count = 0`);
    await engine.query(`DELETE FROM ${engine.name('raw.node_evm_blocks')} WHERE "number" > 10`);
    expect(await look()).toEqual(before);
  });
});

/** What models and audits read and no model makes. */
async function rawNames(own: Warehouse, models: readonly PlacedModel[]): Promise<string[]> {
  const read = await modelReferences(own, audits);
  const named = [...read.values()].flatMap((found) => (found instanceof FirnError ? [] : found.relations));
  const made = new Set(['information_schema.columns', ...models.map(({ name }) => name)]);
  return [...new Set([...models.flatMap(({ references }) => references), ...named])]
    .filter((name) => !made.has(name))
    .sort();
}
