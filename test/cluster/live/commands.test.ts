import { startDevnet } from 'firn-devnet';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createTrinoEngine } from '../../../src/cluster/engine/trinoEngine.ts';
import { publishedName } from '../../../src/cluster/lake/publishLake.ts';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { readModels } from '../../../src/transform/readModels.ts';
import { project, sourcesOf } from '../../cli/cliHarness.ts';
import { differences } from './compareRelations.ts';
import { lakeClient } from './lake.ts';

const pipelines = {
  p: {
    streams: {
      'node/containers': { indexes: ['C/block', 'P/block', 'X/block'] },
      'node/evm_blocks': { blockchainIds: ['C'], traces: true },
      'node/platform_blocks': {},
    },
  },
};
/** Beside the schemas that other tests fill. */
const schema = `commands_${process.pid}`;

const client = lakeClient();
const engine = createTrinoEngine({ client, schema, stageCatalog: 'stage', stageRoot: '' });
let net: Awaited<ReturnType<typeof startDevnet>>;
let alone: Awaited<ReturnType<typeof project>>;
let cluster: Awaited<ReturnType<typeof project>>;
let control: string;

beforeAll(async () => {
  net = await startDevnet({ head: '6%' });
  const admin = await openControl(inject('control'), { connections: 1, migrates: false });
  await admin.query(`CREATE DATABASE ${schema}`);
  await admin.close();
  control = inject('control').replace(/firn$/, schema);
  const stage = {
    uri: `s3://firn/${schema}`,
    endpoint: inject('bucket'),
    region: 'us-east-1',
    accessKey: 'firn',
    secretKey: 'firnsecret',
  };
  const sources = sourcesOf(net);
  alone = await project({ sources, pipelines }, { isNew: true });
  cluster = await project(
    { sources, pipelines, control, stage, engine: { trino: inject('trino'), catalog: 'lake', schema } },
    { isNew: true },
  );
});
afterAll(async () => {
  await net?.close();
  await client.close();
});

/** What readers of both see differently, table by table. */
async function unequal(): Promise<string[]> {
  const warehouse = await alone.open();
  const found: string[] = [];
  for (const { name } of await readModels()) {
    const theirs = `SELECT * FROM ${engine.name(publishedName(name))}`;
    const { problems } = await differences(warehouse, engine, name, theirs, ['_load_id']);
    found.push(...problems.map((problem) => `${name}: ${problem}`));
  }
  warehouse.close();
  return found;
}

test('what was read by workers is built, judged and published as on one machine', async () => {
  expect(await alone.firn('run')).toMatchObject({ code: 0 });
  expect(await cluster.firn('worker', '--until-idle')).toMatchObject({ code: 0 });
  const said = await cluster.firn('--json', 'run');
  expect(said).toMatchObject({ code: 0, json: { published: { version: 1 }, heldBack: [], problems: [] } });
  expect(await unequal()).toEqual([]);
});

test('what came since is built by what changed', async () => {
  await net.moveHead('9%');
  expect(await alone.firn('run')).toMatchObject({ code: 0 });
  expect(await cluster.firn('worker', '--until-idle')).toMatchObject({ code: 0 });
  expect(await cluster.firn('--json', 'run')).toMatchObject({ code: 0, json: { published: { version: 2 } } });
  expect(await unequal()).toEqual([]);
});

test('status and report tell of it', async () => {
  const [own, theirs] = [await alone.firn('--json', 'status'), await cluster.firn('--json', 'status')];
  expect(theirs).toMatchObject({ code: 0, json: { published: { version: 2 } } });
  expect(theirs.json.chains).toEqual(own.json.chains);
  expect(theirs.json.audits.length).toBe(own.json.audits.length);
});

test('an audit that blocks leaves readers the last version', async () => {
  await engine.run(
    `INSERT INTO ${engine.name('raw.node_evm_blocks')} SELECT * FROM ${engine.name('raw.node_evm_blocks')} WHERE "number" = 3`,
  );
  const said = await cluster.firn('--json', 'run');
  expect(said).toMatchObject({ code: 3, json: { published: null } });
  expect(said.json.heldBack.map(({ audit }: { audit: string }) => audit)).toContain('assert_blocks_unique');
  expect(said.json.problems).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ message: expect.stringContaining('readers see version 2 still') }),
    ]),
  );
});
