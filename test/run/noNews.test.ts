import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBConnection } from '@duckdb/node-api';
import { type Devnet, startDevnet } from 'firn-devnet';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Project, project, sourcesOf } from '../cli/cliHarness.ts';
import { startProxy } from '../pipelines/node/startProxy.ts';

const streams = {
  'node/containers': { indexes: ['C/block', 'P/block', 'X/block', 'X/tx', 'X/vtx'] },
  'node/evm_blocks': { blockchainIds: ['C'], from: '2026-01-28' },
  'node/platform_blocks': { from: '2026-01-28' },
  'node/platform_supply': {},
  'data/chains': {},
  'data/latest_transactions': { chainIds: ['43112'], from: '-2d' },
  'metrics/chain_metrics': { chainIds: ['43112'], metrics: ['txCount'], timeIntervals: ['day'], from: '2026-01-28' },
};
const partitions = 11;

let devnet: Devnet;
const asked = () => Object.values(devnet.stats().requests).reduce((sum, count) => sum + count, 0);
beforeAll(async () => {
  devnet = await startDevnet({ head: '20%' });
});
afterAll(() => devnet.close());

/** Every published file, by its inode and the moment it was written. */
async function publishedFiles({ warehouse }: Project): Promise<Record<string, string>> {
  const names = await readdir(warehouse, { recursive: true });
  const files: Record<string, string> = {};
  for (const name of names.filter((file) => /^(lake|refs|parquet)\/|^analytics\.duckdb$/.test(file))) {
    const { ino, mtimeMs } = await stat(join(warehouse, name));
    files[name] = `${ino} ${mtimeMs}`;
  }
  return files;
}

async function run(home: Project, ...more: string[]) {
  const before = asked();
  const { code, json, err } = await home.firn('--json', 'run', ...more);
  expect([code, err]).toEqual([0, '']);
  return { json, sent: asked() - before };
}

describe('a run without news', () => {
  let home: Project;
  let first: Awaited<ReturnType<typeof run>>;

  beforeAll(async () => {
    home = await project({ sources: sourcesOf(devnet), pipelines: { main: { streams } } }, { isBuilt: true });
    first = await run(home);
  });

  test('asks once a partition, builds nothing, and leaves every published file alone', { tags: 'long' }, async () => {
    const [files, built] = [await publishedFiles(home), await home.query('SELECT * FROM firn.build_state')];
    const audits = await home.query('SELECT count(*) AS n FROM firn.audit');

    const statements = vi.spyOn(DuckDBConnection.prototype, 'run');
    const { json, sent } = await run(home);
    const asking = statements.mock.calls.map(([sql]) => sql.trim());
    statements.mockRestore();
    // One look at a list, a value or a row tells that it is there already: nothing is deleted and written anew, and nothing asked twice.
    expect(asking.filter((sql) => /^(UPDATE|DELETE FROM) raw\./.test(sql))).toEqual([]);
    expect(asking.length).toBeLessThan(135);
    expect(json.partitions).toHaveLength(partitions);
    expect(json.partitions.map(({ requests }: { requests: number }) => requests)).toEqual(json.partitions.map(() => 1));
    // What stands in the report is what went over the wire; one request more asks the node which chain it has.
    expect(sent).toBe(partitions + 1);
    const counted = Object.values(json.requests as Record<string, { requests: number }>);
    expect(counted.reduce((sum, { requests }) => sum + requests, 0)).toBe(sent);
    const { written: reused } = first.json.published;
    expect(json.published).toMatchObject({ version: 1, isNew: false, written: 0, reused, removed: 0 });
    expect(json.reconciliation.counts).toEqual(first.json.reconciliation.counts);
    expect(json.audits.length).toBe(first.json.audits.length);
    expect(await home.query('SELECT * FROM firn.build_state')).toEqual(built);
    expect(await home.query('SELECT count(*) AS n FROM firn.audit')).toEqual(audits);
    expect(await publishedFiles(home)).toEqual(files);
    const unread = await home.query(
      `SELECT stream FROM firn.checkpoint WHERE updated_at <= (SELECT max(committed_at) FROM firn.load)`,
    );
    expect(unread).toEqual([]);
    // Asked for alone, each does its work.
    const doneAt = async () =>
      (await home.query('SELECT step, done_at FROM firn.step ORDER BY step')).map(
        ({ step, done_at }) => `${step} ${done_at}`,
      );
    const before = await doneAt();
    for (const phase of ['publish', 'reconcile', 'build']) expect((await home.firn(phase)).code).toBe(0);
    expect(await doneAt()).toHaveLength(3);
    expect((await doneAt()).filter((step) => before.includes(step))).toEqual([]);
  });

  test('what comes after it is built and published', { tags: 'long' }, async () => {
    devnet.moveHead('21%');
    const { json } = await run(home);
    expect(json.published).toMatchObject({ version: 2, isNew: true });
    const [row] = await home.query<{ blocks: bigint; facts: bigint }>(
      'SELECT (SELECT count(*) FROM staging.evm_block) AS blocks, (SELECT count(*) FROM mart.fct_block) AS facts',
    );
    expect(row?.facts).toBe(row?.blocks);
    expect(row?.blocks).toBeGreaterThan(0n);
  });

  test('judges again where more was asked for and nothing came', { tags: 'long' }, async () => {
    const state = await home.open();
    await state.run(`UPDATE firn.begun SET "from" = '2026-01-22' WHERE stream = 'metrics/chain_metrics'`);
    state.close();
    const { json } = await run(home);
    expect(json.reconciliation.counts).toMatchObject({ served_missing: 6 });
    expect((await run(home)).json.published).toMatchObject({ isNew: false, written: 0 });
  });

  test('finds again what an audit has found', { tags: 'long' }, async () => {
    const state = await home.open();
    await state.run(
      `INSERT INTO firn.load SELECT * REPLACE ((SELECT max(load_id) + 1 FROM firn.load) AS load_id) FROM firn.load WHERE rows_written > 0 LIMIT 1;
       UPDATE raw.node_platform_blocks SET difference = 'time', _load_id = (SELECT max(load_id) FROM firn.load)
       WHERE height = (SELECT min(height) FROM raw.node_platform_blocks)`,
    );
    state.close();
    const codes = [];
    // What the first one notes of it may be news to the second one.
    for (let i = 0; i < 3; i++) codes.push((await home.firn('run')).code);
    expect(codes).toEqual([3, 3, 3]);
  });

  test('publishes again what was lost, and what changed beside the sources', { tags: 'long' }, async () => {
    const home = await project(
      { sources: sourcesOf(devnet), pipelines: { main: { streams: { 'data/chains': {} } } } },
      { isBuilt: true },
    );
    await run(home);
    await rm(join(home.warehouse, 'analytics.duckdb'));
    expect((await run(home)).json.published).toMatchObject({ version: 1, isNew: false });
    expect(await publishedFiles(home)).toHaveProperty('analytics.duckdb');
    const [file = ''] = Object.keys(await publishedFiles(home)).filter(
      (name) => name.startsWith('lake/') && name.endsWith('.parquet'),
    );
    await rm(join(home.warehouse, file));
    expect((await run(home)).json.published.written).toBeGreaterThan(0);
    const note = async (sql: string) => {
      const state = await home.open();
      await state.run(sql);
      state.close();
    };
    await note(`INSERT INTO firn.lookup VALUES ('data/transaction_details', 'all', 'a key', 'unconfirmed', 1)`);
    await run(home);
    const before = await publishedFiles(home);
    await note(`UPDATE firn.lookup SET outcome = 'not_found'`);
    await run(home);
    expect((await publishedFiles(home))['analytics.duckdb']).not.toBe(before['analytics.duckdb']);
    const judged = await publishedFiles(home);
    await note(`UPDATE firn.step SET state = 'by rules of before' WHERE step = 'reconcile'`);
    await run(home);
    expect((await publishedFiles(home))['analytics.duckdb']).not.toBe(judged['analytics.duckdb']);
    await mkdir(join(home.warehouse, 'refs'), { recursive: true });
    await writeFile(join(home.warehouse, 'refs', 'desks.csv'), 'desk,floor\nnorth,3\n');
    expect((await run(home)).json.published).toMatchObject({ isNew: true });
    expect((await run(home)).json.published).toMatchObject({ isNew: false, written: 0 });
    // What was read, and is not named any more, is told.
    const streams = { 'node/platform_supply': {} };
    await home.configure({ sources: sourcesOf(devnet), pipelines: { main: { streams } } });
    expect((await home.firn('sync')).err).toContain('does not name what was read before: data/chains.');
  });
});

test('a record in quarantine that is listed again is no news, and one that comes otherwise is', {
  tags: 'long',
}, async () => {
  let name: unknown = {};
  const node = await startProxy(devnet.url, async ({ method, forward }) => {
    if (method !== 'platform.getBlockchains') return undefined;
    const { blockchains } = (await forward()) as { blockchains: object[] };
    return { result: { blockchains: blockchains.map((one, i) => (i === 0 ? { ...one, name } : one)) } };
  });
  const pipelines = { main: { streams: { 'node/platform_blockchains': {} } } };
  const home = await project({ sources: { node: { url: node.url } }, pipelines }, { isBuilt: true });
  const looks = async (code: number) => {
    expect((await home.firn('run')).code).toBe(code);
    const [seen] = await home.query('SELECT times_seen, last_load_id FROM firn.quarantine');
    const done = await home.query(
      `SELECT step, done_at FROM firn.step UNION ALL SELECT 'build', built_at FROM firn.build_state ORDER BY step`,
    );
    return { seen, done, files: await publishedFiles(home) };
  };
  await looks(4);
  expect((await home.firn('quarantine', 'accept', '--all', '--reason', 'lost')).code).toBe(0);
  const before = await looks(0);
  const again = await looks(0);
  expect(again).toEqual({ ...before, seen: { times_seen: 3n, last_load_id: 3n } });
  name = [];
  const after = await looks(0);
  expect(after.files['analytics.duckdb']).not.toBe(before.files['analytics.duckdb']);
  expect(after.done).not.toEqual(before.done);
});

test('loads and the report count what went over the wire, call by call where a server takes no batches', {
  tags: 'long',
}, async () => {
  const home = await project({
    sources: sourcesOf(devnet),
    pipelines: {
      main: {
        streams: {
          'node/platform_blocks': { to: 40, hex: false },
          'node/evm_blocks': { blockchainIds: ['C'], to: 70 },
        },
      },
    },
  });
  const plan = (await home.firn('--json', 'plan')).json.partitions;
  const before = asked();
  const { json } = await home.firn('--json', 'sync');
  const sent = asked() - before;
  const requests = Object.fromEntries(
    json.partitions.map(({ stream, requests }: { stream: string; requests: number }) => [stream, requests]),
  );
  // The height, and each of the 41 blocks; the height, whether the first block is there, and three ranges in two batches each.
  expect(requests).toEqual({ 'node/platform_blocks': 42, 'node/evm_blocks': 8 });
  expect(sent - 42 - 8).toBeLessThanOrEqual(6);
  expect(
    await home.query('SELECT stream, sum(requests)::INTEGER AS requests FROM firn.load GROUP BY ALL ORDER BY ALL'),
  ).toEqual([
    { stream: 'node/evm_blocks', requests: 8 },
    { stream: 'node/platform_blocks', requests: 42 },
  ]);
  const planned = Object.fromEntries(
    plan.map(({ stream, requests }: { stream: string; requests: number }) => [stream, requests]),
  );
  expect(planned).toEqual(requests);
});
