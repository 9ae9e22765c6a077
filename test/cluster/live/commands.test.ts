import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { startDevnet } from 'firn-devnet';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { actions, catalogue } from '../../../pipelines/index.ts';
import { runCli } from '../../../src/cli/program/runCli.ts';
import { lakeTables } from '../../../src/cluster/engine/lakeTables.ts';
import { publishedName } from '../../../src/cluster/engine/relationSchemas.ts';
import { createTrinoEngine } from '../../../src/cluster/engine/trinoEngine.ts';
import { renderingAt, takeCut } from '../../../src/cluster/lake/cut.ts';
import { lakeReader } from '../../../src/cluster/lake/lakeReader.ts';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { metricsOf } from '../../../src/transform/models/metricsOf.ts';
import { placeModels } from '../../../src/transform/models/placeModels.ts';
import { readModels } from '../../../src/transform/models/readModels.ts';
import { project, sourcesOf } from '../../cli/cliHarness.ts';
import { freePort } from '../postgres.ts';
import { auditDifferences, unequalToReaders, variantDifferences } from './compareRelations.ts';
import { freshLake, lakeClient } from './lake.ts';

const models = await readModels();
const { schema, places } = await freshLake('commands');

const client = lakeClient();
const engine = createTrinoEngine({ client, schema, stageCatalog: 'stage', stageRoot: '' });
let net: Awaited<ReturnType<typeof startDevnet>>;
let alone: Awaited<ReturnType<typeof project>>;
let cluster: Awaited<ReturnType<typeof project>>;

beforeAll(async () => {
  net = await startDevnet({ ledger: 'test/fixtures/node-ledger-forks', head: '70%' });
  const { c, firstMoment } = net.ledger;
  // Of the day before nothing is asked, so none of it is missing.
  const from = new Date(firstMoment + 86_400_000).toISOString().slice(0, 10);
  const streams = {
    'node/containers': { indexes: ['C/block', 'P/block', 'X/block'] },
    'node/evm_blocks': { blockchainIds: ['C'], traces: true },
    'node/platform_blocks': {},
    'metrics/chain_metrics': { chainIds: [String(c.evmChainId)], metrics: 'all', timeIntervals: 'all', from },
  };
  const both = { sources: sourcesOf(net), pipelines: { p: { streams } } };
  alone = await project(both, { isNew: true });
  cluster = await project({ ...both, ...places }, { isNew: true });
});
afterAll(async () => {
  await net?.close();
  await client.close();
});

async function inControl(sql: string): Promise<void> {
  const state = await openControl(places.control, { connections: 1, migrates: false });
  await state.query(sql);
  await state.close();
}

/** What readers of both see differently. */
async function unequal(): Promise<string[]> {
  const warehouse = await alone.open();
  const found = await unequalToReaders(warehouse, client, (name) => engine.name(publishedName(name)));
  warehouse.close();
  return found;
}

test('what was read by workers is built, judged and published as on one machine', async () => {
  const own = await alone.firn('--json', 'run');
  expect(own).toMatchObject({ code: 0 });
  expect(await cluster.firn('worker', '--until-idle')).toMatchObject({ code: 0 });
  const said = await cluster.firn('--json', 'run');
  expect(said).toMatchObject({ code: 0, json: { published: { version: 1 }, heldBack: [], problems: [] } });
  // Row by row they are compared once there are more: of a build from nothing parity.test.ts compares all.
  expect(said.json.reconciliation).toEqual(own.json.reconciliation);
});

test('every metric has verdicts by every interval', async () => {
  const judged = await client.run<{ metric: string; interval: string }>(
    `SELECT DISTINCT metric, time_interval AS interval FROM ${engine.name(publishedName('mart.reconciliation'))}`,
  );
  const wanted = metricsOf(models).flatMap(({ name, intervals }) => intervals.map((interval) => `${name} ${interval}`));
  expect(judged.rows.map(({ metric, interval }) => `${metric} ${interval}`).sort()).toEqual(wanted.sort());
});

/** Reads views over and over until it is told to end: how often, and what did not belong to one version. */
function watch() {
  let isOver = false;
  const views = [
    ['mart.fct_block', 'hash'],
    ['mart.metric', 'numerator'],
    ['raw.node_evm_blocks', 'hash'],
  ] as const;
  const seen = views.map(() => new Set<string>());
  let looks = 0;
  const looking = (async () => {
    while (!isOver) {
      for (const [i, [name, column]] of views.entries()) {
        const { rows } = await client.run<{ content: string }>(
          `SELECT CAST(count(*) AS VARCHAR) || ' ' || to_hex(checksum("${column}")) AS content FROM ${engine.name(publishedName(name))}`,
        );
        seen[i]?.add(rows[0]?.content ?? '');
      }
      looks++;
      await delay(3_000);
    }
  })();
  const end = async () => {
    isOver = true;
    await looking;
  };
  onTestFinished(end);
  return async () => {
    await end();
    return { looks, most: Math.max(...seen.map((contents) => contents.size)) };
  };
}

test('what workers bring and apply meanwhile is built by what changed, and readers see whole versions only', async () => {
  await net.moveHead('100%');
  expect(await alone.firn('run')).toMatchObject({ code: 0 });
  // Served numbers are asked for every ten minutes only.
  await inControl('UPDATE firn.part SET due_at = now() WHERE NOT is_done');
  const end = watch();
  const worker = ['node', 'firn', '--config', cluster.config, '--quiet', 'worker', '--until-idle', '--at-once', '2'];
  const working = Promise.all([runCli(worker), runCli(worker)]);
  expect(await cluster.firn('--json', 'run')).toMatchObject({ code: 0, json: { published: { version: 2 } } });
  expect(await working).toEqual([0, 0]);
  // What was brought and applied while the second version was built.
  expect(await cluster.firn('--json', 'run')).toMatchObject({ code: 0, json: { published: { version: 3 } } });
  const { looks, most } = await end();
  expect(looks).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(3);
  expect(await unequal()).toEqual([]);
});

test('every variant of a metric and every audit says what it says on one machine', async () => {
  const own = await alone.open();
  const tables = lakeTables([...catalogue, ...actions]);
  const cut = await takeCut(engine, { unbuiltBeside: async () => ({}) }, tables, []);
  const rendering = renderingAt(engine, await placeModels(own, models), tables, cut);
  expect(await variantDifferences({ own, client, rendering })).toEqual([]);
  expect(await auditDifferences({ own, client, rendering })).toEqual([]);
  own.close();
});

describe('what tells of it', () => {
  const bucket = async () => {
    const warehouse = await alone.open();
    const [row] = await warehouse.query<{ chain: string; bucket: string }>(
      `SELECT chain_id AS chain, CAST(max(bucket) AS VARCHAR) AS bucket FROM mart.reconciliation
       WHERE metric = 'gasUsed' AND time_interval = 'day' AND verdict = 'equal' GROUP BY chain_id`,
    );
    warehouse.close();
    return [row?.chain ?? '', row?.bucket ?? ''] as const;
  };

  test('status', async () => {
    const [own, theirs] = [await alone.firn('--json', 'status'), await cluster.firn('--json', 'status')];
    expect(theirs).toMatchObject({ code: 0, json: { published: { version: 3 } } });
    expect(theirs.json.chains).toEqual(own.json.chains);
    expect(theirs.json.audits.length).toBe(own.json.audits.length);
    expect(theirs.json.cluster.waiting).toEqual([]);
  });

  test('an explanation', async () => {
    const [chain, moment] = await bucket();
    const explained = async ({ firn }: typeof alone) =>
      (await firn('--json', 'reconcile', '--explain', chain, 'gasUsed', moment)).json;
    const [own, theirs] = [await explained(alone), await explained(cluster)];
    const same = ({ own: row, verdict, top, coverage }: typeof own) => ({
      row,
      top,
      coverage,
      verdict: { ...verdict, fetchedAt: null },
    });
    expect(same(theirs)).toEqual(same(own));
    // No block may lie in the bucket, of which there is a number all the same.
    for (const sql of [theirs.ownSql, theirs.bothSql])
      expect((await client.run(sql)).rows.length, sql).toBeGreaterThan(0);
    expect((await client.run(theirs.topSql)).rows).toHaveLength(theirs.top.length);
  });

  test('SQL of another reading, to be pasted', async () => {
    const { toPaste } = await lakeReader(engine, { engine: { ...places.engine, stageCatalog: 'stage', user: 'firn' } });
    const model = models.find(({ metric }) => metric?.name === 'txCount');
    if (!toPaste || !model) throw new Error('There is no such reading.');
    const sql = `SELECT * FROM ${model.name} WHERE time_interval = 'day'`;
    const readings = [toPaste(sql), toPaste(sql, { ...model, variant: 'with_atomic' })];
    const [own, other] = await Promise.all(readings.map(async (one) => (await client.run(one)).rows.length));
    expect(own).toBeGreaterThan(0);
    expect(other).toBe(own);
  });

  test('a report', async () => {
    const [own, theirs] = [await alone.firn('--json', 'report'), await cluster.firn('--json', 'report')];
    expect(theirs).toMatchObject({ code: 0, json: { version: 3, buckets: own.json.buckets } });
    expect(await readFile(theirs.json.file, 'utf8')).toContain('gasUsed');
  });

  test('a server', async () => {
    const port = await freePort();
    const serving = cluster.firn('serve', '--port', String(port));
    const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    const report = await vi.waitUntil(() => get('/report.json').catch(() => false as const), { timeout: 300_000 });
    expect(await report.json()).toMatchObject({ published: { version: 3 } });
    expect(report.headers.get('etag')).toBe('"3"');
    expect(await (await get('/tables')).text()).toContain(`${schema}_published_*`);
    process.emit('SIGTERM');
    expect(await serving).toMatchObject({ code: 0 });
  });

  test('a verdict over all that is kept', async () => {
    const said = await cluster.firn('--json', 'verify');
    expect(said).toMatchObject({ code: 0, json: { ok: true, version: 3, failures: [] } });
  });
});

test('what an audit blocks readers see as it was, and all else anew', async () => {
  const table = engine.name('mart.fct_block');
  const whole = await snapshotOf('DESC');
  const blocks = async () =>
    (await client.run(`SELECT "number" FROM ${engine.name(publishedName('mart.fct_block'))} WHERE linked`)).rows.length;
  const before = await blocks();
  await engine.run(`UPDATE ${table} SET linked = false WHERE "number" = 3`);
  const said = await cluster.firn('--json', 'run');
  expect(said).toMatchObject({ code: 3, json: { published: { version: 4 } } });
  expect(said.json.heldBack.map(({ audit }: { audit: string }) => audit)).toContain('assert_parent_hashes_link');
  expect(await blocks()).toBe(before);
  await client.run(`ALTER TABLE ${table} EXECUTE rollback_to_snapshot(${whole})`);
  expect(await cluster.firn('--json', 'run')).toMatchObject({
    code: 0,
    json: { published: { version: 5 }, heldBack: [] },
  });
  expect(await blocks()).toBe(before);
});

test('verify names what is harmed, and how', async () => {
  await inControl(`UPDATE firn.batch_file SET rows = rows + 1 WHERE table_name = 'raw.node_evm_receipts'`);
  await inControl(
    `INSERT INTO firn.batch_file VALUES (99999, 'raw.node_evm_logs', 's3://firn/${schema}/node_evm_logs/99999.parquet', 1, 1, '')`,
  );
  await engine.show(
    publishedName('mart.fct_block'),
    `SELECT * FROM ${engine.asOf('mart.fct_block', await snapshotOf('ASC'))}`,
  );
  // Written again by a build of which nothing is published.
  expect(await cluster.firn('build')).toMatchObject({ code: 0 });
  await client.run(`ALTER TABLE ${engine.name('firn.audit')} EXECUTE expire_snapshots(retention_threshold => '0s')`, {
    'lake.expire_snapshots_min_retention': '0s',
  });
  const said = await cluster.firn('--json', 'verify');
  expect(said).toMatchObject({ code: 3, json: { ok: false, version: 5 } });
  const found = said.json.failures.map(({ check, item }: { check: string; item: string }) => `${check} ${item}`);
  // A file of no load is one of a warehouse that was moved here: its loads are built.
  expect([...new Set(found)].sort()).toEqual([
    'load raw.node_evm_logs',
    'load raw.node_evm_receipts',
    'missing firn.audit',
    `missing s3://firn/${schema}/node_evm_logs/99999.parquet`,
    `reader ${engine.name(publishedName('mart.fct_block'))}`,
  ]);
});

/** The newest state of the blocks, or the oldest, which no version names. */
async function snapshotOf(order: 'ASC' | 'DESC'): Promise<string> {
  const { rows } = await client.run<{ id: string }>(
    `SELECT CAST(snapshot_id AS VARCHAR) AS id FROM ${engine.name('mart."fct_block$snapshots"')} ORDER BY committed_at ${order} LIMIT 1`,
  );
  return rows[0]?.id ?? '';
}
