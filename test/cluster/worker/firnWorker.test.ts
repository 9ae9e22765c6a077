import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { startDevnet } from 'firn-devnet';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { clusterText } from '../../../src/cli/text/clusterText.ts';
import { alone } from '../../../src/cluster/ledger/alone.ts';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { openLedger } from '../../../src/cluster/ledger/openLedger.ts';
import { readProgress } from '../../../src/cluster/ledger/readProgress.ts';
import { mainFile } from '../../../src/load/packageFiles.ts';
import { project, sourcesOf } from '../../cli/cliHarness.ts';
import { startProxy } from '../../pipelines/node/startProxy.ts';
import { temporary } from '../../temporaryFolders.ts';
import { withoutWaiting } from '../../withoutWaiting.ts';
import { freshDatabase } from '../postgres.ts';
import { playedTrino } from '../trino/playedTrino.ts';

const streams = {
  'node/containers': { indexes: ['C/block', 'P/block', 'X/block'] },
  'node/evm_blocks': { blockchainIds: ['C'] },
  'node/platform_blocks': {},
  'data/latest_transactions': { chainIds: ['43112'] },
};
const engine = { trino: 'http://127.0.0.1:8080', catalog: 'lake' };

async function devnet() {
  const net = await startDevnet({ head: '4%' });
  onTestFinished(() => net.close());
  return net;
}

async function clustered(sources: object, more: object = {}) {
  const control = await freshDatabase();
  const stage = await temporary();
  const self = await project(
    { sources, control, stage, engine, pipelines: { p: { streams } }, ...more },
    { isNew: true },
  );
  return { ...self, control, stage };
}

test('a chain that does not answer when a worker begins is told, and decides the exit code; the others are read', {
  tags: 'long',
}, async () => {
  const net = await devnet();
  const self = await clustered({ ...sourcesOf(net), node: { url: net.url, rpc: { C: 'http://127.0.0.1:1' } } });
  const select = ['--select', 'node/evm_blocks', 'node/platform_blocks'];
  const { code, err, json } = await self.firn('--json', 'worker', '--until-idle', '--no-apply', ...select);
  expect([code, json.failed, json.rows > 0]).toEqual([75, 1, true]);
  expect(err).toMatch(
    /node\/evm_blocks \(blockchain_id=C\): http.* could not be reached: nothing answers at that address/,
  );
  const alone = await self.firn('worker', '--until-idle', '--no-apply', '--select', 'node/evm_blocks');
  expect([alone.code, alone.err]).toEqual([75, expect.stringContaining('nothing answers at that address')]);
});

test('two workers stage the rows that a sync on one machine has, all of them once', { tags: 'long' }, async () => {
  const net = await devnet();
  const alone = await project({ sources: sourcesOf(net), pipelines: { p: { streams } } });
  expect(await alone.firn('sync')).toMatchObject({ code: 0 });
  const cluster = await clustered(sourcesOf(net));
  const said = await Promise.all(
    [1, 2].map(() => cluster.firn('worker', '--until-idle', '--no-apply', '--at-once', '2')),
  );
  expect(said.map(({ code, err }) => (code === 0 ? '' : err))).toEqual(['', '']);
  const control = await openControl(cluster.control);
  onTestFinished(() => control.close());
  const files = await control.query<{ table_name: string; uri: string }>(
    'SELECT table_name, uri FROM firn.batch_file ORDER BY batch_id',
  );
  const tables = [...new Set(files.map(({ table_name }) => table_name))].sort();
  expect(tables).toEqual(
    expect.arrayContaining(['raw.node_containers', 'raw.node_evm_transactions', 'raw.data_latest_transactions']),
  );
  const state = await alone.open();
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(`SET TimeZone = 'UTC'`);
  // Of a table as text: what differs is shown, whatever the types of both sides are called.
  const summed = (from: string) =>
    `SELECT count(*)::VARCHAR AS rows, sum(hash(r::VARCHAR) % 1000000007)::VARCHAR AS content FROM (SELECT * EXCLUDE (_load_id) FROM ${from}) AS r`;
  for (const table of tables) {
    const uris = files.filter(({ table_name }) => table_name === table).map(({ uri }) => `'${fileURLToPath(uri)}'`);
    const staged = `(SELECT * EXCLUDE (firn_batch, firn_row, _load_id), 0 AS _load_id FROM read_parquet([${uris.join(', ')}]))`;
    const [theirs] = (await connection.runAndReadAll(summed(staged))).getRowObjects();
    expect({ table, ...theirs }).toEqual({ table, ...(await state.query(summed(table)))[0] });
  }
  state.close();
  connection.closeSync();
  instance.closeSync();
  const [left] = await control.query(
    'SELECT count(*) FROM firn.part WHERE first_position IS NOT NULL OR lease_until > now()',
  );
  expect(left).toEqual({ count: '0' });
});

test('what a source does not give is told once, as a sync tells it', { tags: 'long' }, async () => {
  const net = await devnet();
  net.configure({ without: ['traces', 'receipts'] });
  const only = { 'node/evm_blocks': { blockchainIds: ['C'] } };
  const cluster = await clustered(sourcesOf(net), { pipelines: { p: { streams: only } } });
  const { code, err } = await cluster.firn('worker', '--until-idle', '--no-apply');
  expect(code).toBe(0);
  expect(err.match(/The node offers no call traces/g)).toHaveLength(1);
  expect(err.match(/The node has no eth_getBlockReceipts/g)).toHaveLength(1);
});

test('a record that was accepted and comes again with its list no longer makes workers end with 4', {
  tags: 'long',
}, async () => {
  const net = await devnet();
  const node = await startProxy(net.url, async ({ method, forward }) => {
    if (method !== 'platform.getCurrentValidators') return undefined;
    const { validators } = (await forward()) as { validators: object[] };
    return { result: { validators: validators.map((one, i) => (i === 0 ? { ...one, weight: {} } : one)) } };
  });
  onTestFinished(node.close);
  const only = { 'node/platform_validators': {} };
  const self = await clustered({ node: { url: node.url } }, { pipelines: { p: { streams: only } } });
  const read = async () => {
    await control.query('UPDATE firn.part SET due_at = now()');
    const { code, json } = await self.firn('--json', 'worker', '--until-idle', '--no-apply');
    return [code, json.quarantined];
  };
  const control = await openControl(self.control);
  onTestFinished(() => control.close());
  await openLedger(control);
  expect(await read()).toEqual([4, 1]);
  expect(await read()).toEqual([4, 1]);
  expect((await self.firn('quarantine', 'accept', '--all', '--reason', 'known')).code).toBe(0);
  expect(await read()).toEqual([0, 1]);
});

describe('without an engine that answers', () => {
  withoutWaiting();

  test('what was read is staged and waits, and another network is refused', { tags: 'long' }, async () => {
    const net = await devnet();
    const cluster = await clustered(sourcesOf(net), {
      engine: { trino: 'http://127.0.0.1:1', catalog: 'lake' },
      pipelines: { p: { streams: { 'node/platform_blocks': {}, 'node/platform_validators': {} } } },
    });
    const read = await cluster.firn('--json', 'worker', '--until-idle', '--no-apply');
    expect(read.code).toBe(0);
    expect(read.json).toMatchObject({ failed: 0, quarantined: 0, applied: 0 });
    expect(read.json.rows).toBeGreaterThan(50);
    const applied = await cluster.firn('--json', 'worker', '--until-idle');
    expect(applied).toMatchObject({ code: 75, err: expect.stringContaining('Trino at http://127.0.0.1:1') });
    expect(applied.json).toMatchObject({ error: { code: 'unavailable' } });
    expect(await cluster.firn('status')).toMatchObject({
      code: 75,
      out: expect.stringMatching(/^raw\.node_platform_validators .* \d+ /m),
      err: expect.stringContaining('Trino at http://127.0.0.1:1'),
    });
    const control = await openControl(cluster.control);
    await control.query(
      `UPDATE firn.part SET owner = 'machine 12', lease_until = now() + interval '1 hour' WHERE stream = 'node/platform_blocks'`,
    );
    const progress = await readProgress(control);
    expect(progress.partitions).toContainEqual({
      stream: 'node/platform_blocks',
      partition: 'all',
      position: expect.stringMatching(/^\{"next":\d+\}$/),
      readAt: expect.stringMatching(/^\d{4}-/),
      partFrom: null,
      stretches: 0,
      held: 1,
      owners: ['machine 12'],
      problem: null,
    });
    const tables = progress.waiting.map(({ table }) => table);
    expect(tables).toEqual(expect.arrayContaining(['raw.node_platform_blocks', 'raw.node_platform_validators']));
    expect(clusterText(progress)).toMatch(/^raw\.node_platform_validators .* \d+ /m);
    expect(clusterText(progress)).toMatch(/^node\/platform_blocks .* 1: machine 12$/m);
    expect(clusterText(progress)).not.toContain('builds');
    const building = await alone(control, 'build', async () => clusterText(await readProgress(control)));
    expect(building).toMatch(/^\S+ \d+ builds or publishes since 20[\d-]+T[\d:.]+Z\.$/m);
    await control.query(`UPDATE firn.chain SET genesis_hash = 'other'`);
    await control.close();
    expect(await cluster.firn('worker', '--until-idle')).toMatchObject({ code: 2 });
  });
});

describe('doctor', () => {
  withoutWaiting();

  test('holds sources and configuration against what workers read, and nothing of this machine', {
    tags: 'long',
  }, async () => {
    const net = await devnet();
    const { data, ...sources } = sourcesOf(net);
    const read = (from: number) => ({
      sources: { ...sources, data: { ...data, quota: { perDay: 1_000_000 } } },
      pipelines: {
        p: {
          streams: { 'node/platform_blocks': { from }, 'node/containers': { indexes: ['P/block'], decode: from < 20 } },
        },
      },
    });
    const { sources: both, ...rest } = read(20);
    const self = await clustered(both, { engine: { trino: 'http://127.0.0.1:1', catalog: 'lake' }, ...rest });
    expect(await self.firn('worker', '--until-idle', '--no-apply')).toMatchObject({ code: 0 });
    await self.configure({ ...read(3), control: self.control, stage: self.stage, engine });
    const control = await openControl(self.control);
    onTestFinished(() => control.close());
    await control.query('UPDATE firn.network SET network_id = 1');
    await control.query(`UPDATE firn.quota SET used_today = 999999`);
    const { json } = await self.firn('--json', 'doctor');
    const by = Object.fromEntries(json.checks.map((check: { name: string }) => [check.name, check]));
    expect(by).toMatchObject({
      'node/platform_blocks': { state: 'warn', sentence: expect.stringContaining('It was read from 20 on') },
      'node/containers': { state: 'warn', sentence: expect.stringContaining('From index 0 on it was read in part') },
      network: { state: 'fail', sentence: expect.stringContaining('it holds network 1') },
      'data daily quota': { state: 'warn', sentence: expect.stringContaining('999,999 of 1,000,000') },
    });
    expect(by).not.toHaveProperty('state');
  });
});

test('a stage of another control database is refused, and nothing is read', { tags: 'long' }, async () => {
  const cluster = await clustered({ node: { url: 'http://127.0.0.1:1' } });
  await writeFile(join(cluster.stage, 'firn-warehouse'), 'another');
  expect(await cluster.firn('worker')).toMatchObject({
    code: 2,
    err: expect.stringContaining('belongs to the warehouse another'),
  });
});

test.each([
  [{ control: 'postgresql://127.0.0.1/x' }, 2, 'stage and engine are missing'],
  [{ control: 'mysql://x', stage: 's', engine }, 2, 'control is not a PostgreSQL URL'],
  [{ control: `\${env:FIRN_NO_SUCH_VARIABLE}`, stage: 's', engine }, 2, 'FIRN_NO_SUCH_VARIABLE, which is not set'],
  [
    { control: 'postgresql://firn:s3cret@127.0.0.1:1/x', stage: 's', engine },
    75,
    'The control database does not serve',
  ],
  [{}, 2, 'names no cluster'],
])('%j cannot be worked for', async (settings, code, sentence) => {
  const self = await project(
    { sources: { node: { url: 'http://127.0.0.1:1' } }, pipelines: { p: { streams } }, ...settings },
    { isNew: true },
  );
  const said = await self.firn('worker');
  expect(said).toMatchObject({ code, err: expect.stringContaining(sentence) });
  expect(said.err).not.toContain('s3cret');
});

test('a sync of a configuration that names a cluster is refused', async () => {
  const cluster = await clustered({ node: { url: 'http://127.0.0.1:1' } });
  expect(await cluster.firn('sync')).toMatchObject({ code: 2, err: expect.stringContaining('firn worker') });
});

test('firn migrate takes a warehouse over once', { tags: 'long' }, async () => {
  const net = await devnet();
  const only = { 'node/platform_blocks': {} };
  const alone = await project({ sources: sourcesOf(net), pipelines: { p: { streams: only } } });
  expect(await alone.firn('sync')).toMatchObject({ code: 0 });
  // A catalog that is new: there is nothing in it, whatever is asked.
  const nothing = { json: JSON.stringify({ id: 'q', columns: [], data: [] }) };
  const trino = await playedTrino(Array.from({ length: 60 }, () => nothing));
  onTestFinished(() => trino.close());
  const places = { control: await freshDatabase(), stage: await temporary(), engine: { ...engine, trino: trino.url } };
  await alone.configure({ sources: sourcesOf(net), ...places, pipelines: { p: { streams: only } } });
  const moved = await alone.firn('--json', 'migrate', '--to', 'cluster');
  expect([moved.code, moved.err]).toMatchObject([0, expect.not.stringContaining('firn:')]);
  expect(moved.json).toMatchObject({ partitions: 1 });
  expect(moved.json.rows).toBeGreaterThan(50);
  expect(await alone.firn('migrate', '--to', 'cluster')).toMatchObject({
    code: 2,
    err: expect.stringContaining('Nothing was changed'),
  });
});

test('before the first worker, status tells that nothing was read, and nothing of what other machines do', {
  tags: 'long',
}, async () => {
  const nothing = { json: JSON.stringify({ id: 'q', columns: [], data: [] }) };
  const trino = await playedTrino(Array.from({ length: 10 }, () => nothing));
  onTestFinished(() => trino.close());
  const self = await clustered({ node: { url: 'http://127.0.0.1:1' } }, { engine: { ...engine, trino: trino.url } });
  const { code, out, err } = await self.firn('status', '--check');
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/nothing is published yet[\s\S]*No worker has read anything yet\./);
  expect(out).not.toContain('Nothing is running');
});

test.runIf(process.platform === 'linux')('a log on a disk that is full ends no worker', { tags: 'long' }, async () => {
  const net = await devnet();
  const cluster = await clustered(sourcesOf(net));
  const full = await open('/dev/full', 'w');
  const child = spawn(process.execPath, [mainFile(), '--config', cluster.config, 'worker', '--no-apply'], {
    stdio: ['ignore', full.fd, full.fd],
  });
  const ended = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await full.close();
  });
  const control = await openControl(cluster.control);
  onTestFinished(() => control.close());
  const isRead = async () => {
    const [row] = await control.query<{ n: string }>('SELECT count(DISTINCT stream)::text AS n FROM firn.load');
    expect(row?.n).toBe(String(Object.keys(streams).length));
  };
  // It tells of each part by a line.
  await vi.waitFor(isRead, { timeout: 120_000, interval: 500 });
  child.kill('SIGTERM');
  expect(await ended).toEqual([143, null]);
});
