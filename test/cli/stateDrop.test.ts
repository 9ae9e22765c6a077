/** @module-tag long */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startDevnet } from 'firn-devnet';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { catalogue, sources as declared } from '../../pipelines/index.ts';
import { openWarehouse } from '../../src/load/state/warehouse.ts';
import { openReader } from '../../src/publish/reader/openReader.ts';
import { runPhases } from '../../src/run/phases/runPhases.ts';
import type { Phase } from '../../src/run/records/runReport.ts';
import { settingsSchema } from '../../src/run/settings.ts';
import { type Audit, parseAudit } from '../../src/transform/audits/parseAudit.ts';
import { buildModels } from '../../src/transform/builds/buildModels.ts';
import { loadMadeUp, madeUpChain } from '../transform/madeUpChain.ts';
import { tables } from '../transform/warehouse.ts';
import { project, sourcesOf } from './cliHarness.ts';

/** Blocks of two months. */
async function built() {
  const made = await project({ sources: {} }, { isBuilt: true });
  const warehouse = await openWarehouse({ folder: made.warehouse, tables });
  await loadMadeUp(
    warehouse,
    '1001',
    madeUpChain(3, 8).map((block, i) => ({ ...block, time: Date.UTC(2026, i < 5 ? 0 : 2, 1 + i) / 1000 })),
  );
  await buildModels(warehouse);
  warehouse.close();
  return made;
}

test('firn state drop says what goes, drops it, and refuses what makes no sense; keep does it in every run', async () => {
  const { firn, query, open, warehouse } = await built();
  const blocks = async () => Number((await query('SELECT count(*) AS n FROM raw.node_evm_blocks'))[0]?.['n']);
  const metrics = async () => query('FROM mart.metric ORDER BY ALL');
  const before = await metrics();
  expect(before.length).toBeGreaterThan(0);
  for (const wrong of [[], ['--keep', '400'], ['--before', 'March'], ['--keep', '9d', '--before', '2026-01-01']])
    expect((await firn('state', 'drop', ...wrong)).code, wrong.join(' ')).toBe(2);
  const dry = await firn('state', 'drop', '--before', '2026-02-10', '--dry-run');
  expect(dry.out).toMatch(/rows before 2026-02-01[\s\S]*raw\.node_evm_blocks +5\n[\s\S]*dry run/);
  const only = ['--before', '2026-02-10', '--table', 'node_evm_blocks', '--dry-run'];
  const { dropped: cut } = (await firn('--json', 'state', 'drop', ...only)).json;
  expect(cut).toEqual([{ table: 'raw.node_evm_blocks', rows: 5 }]);
  expect(await blocks()).toBe(9);
  // What firn run does after reading.
  const keep = (audits?: readonly Audit[], phases: readonly Phase[] = ['build', 'publish']) =>
    runPhases({
      ...(audits && { audits }),
      settings: { ...settingsSchema(declared).parse({ sources: {}, pipelines: {}, keep: '20d' }), warehouse },
      catalogue,
      phases,
      signal: new AbortController().signal,
      log: pino({ level: 'silent' }),
    });
  // It waits for a backfill, and says so.
  const inState = async (sql: string) => {
    const state = await open();
    await state.run(sql);
    state.close();
  };
  await inState(`INSERT INTO firn.chain VALUES ('1001', 'C', 'c', 'C', 'evm', NULL, now()::TIMESTAMP);
    INSERT INTO firn.checkpoint VALUES ('node/evm_blocks', 'chain_id=1001|backfill', '{"asked":"0","at":{"last":1,"next":1},"to":null}', 1, now()::TIMESTAMP)`);
  expect(await keep()).toMatchObject({ exitCode: 0, problems: [], dropped: [], waiting: ['1001', 'C/block'] });
  await inState('DELETE FROM firn.checkpoint');
  // Nothing goes by a publish alone, nor of what is held back.
  expect((await keep(undefined, ['publish'])).dropped).toEqual([]);
  const header = '/*\nclaim: Nothing is wrong.\nprotects: [mart.fct_block]\nseverity: blocks\n*/';
  expect(await keep([parseAudit('assert_x.sql', `${header}\nSELECT 1 AS a`)])).toMatchObject({
    exitCode: 3,
    dropped: [],
  });
  const { exitCode, problems, dropped, waiting } = await keep();
  expect({ exitCode, problems, waiting }).toEqual({ exitCode: 0, problems: [], waiting: [] });
  expect(dropped).toContainEqual({ table: 'raw.node_evm_blocks', rows: 5 });
  expect(await blocks()).toBe(4);
  expect(await metrics()).toEqual(before);
  const reader = await openReader(warehouse);
  expect(await reader.query('SELECT count(*) AS n FROM raw.node_evm_blocks')).toEqual([{ n: 4n }]);
  reader.close();
  expect((await firn('state', 'drop', '--keep', '20d')).out).toContain('Nothing is older than 2026-02-01.');
});

test('firn state drop of a partition takes what it brought, and the others stay', async () => {
  const { firn, query, warehouse } = await project({ sources: {} }, { isBuilt: true });
  const state = await openWarehouse({ folder: warehouse, tables });
  for (const chain of ['1001', '1002']) await loadMadeUp(state, chain, madeUpChain(5, 4));
  await buildModels(state);
  state.close();
  for (const wrong of [['node/blocks'], ['node/evm_blocks', '--keep', '9d']])
    expect((await firn('state', 'drop', ...wrong)).code, wrong.join(' ')).toBe(2);
  const both = await firn('state', 'drop', 'data/chains', '--table', 'data_chains');
  expect([both.code, both.err]).toEqual([2, expect.stringContaining('leave the stream out')]);
  const drop = ['--json', 'state', 'drop', 'node/evm_blocks', 'chain_id=1002'];
  const { json } = await firn(...drop, '--dry-run');
  expect(json).toMatchObject({ stream: 'node/evm_blocks', partitions: ['chain_id=1002'], dryRun: true });
  expect((await firn(...drop)).json.dropped).toEqual(json.dropped);
  expect(await query('SELECT chain_id, count(*) AS n FROM raw.node_evm_blocks GROUP BY 1')).toEqual([
    { chain_id: '1001', n: 5n },
  ]);
  expect((await firn(...drop)).json.dropped).toEqual([]);
  expect((await firn('build')).code).toBe(0);
  expect(await query('SELECT DISTINCT chain_id FROM mart.metric')).toEqual([{ chain_id: '1001' }]);
  expect((await firn('state', 'drop', 'data/validators')).err).toContain('Nothing of data/validators was read.');
});

test('firn state drop says which partition that shares rows a backfill is to read again', async () => {
  const stream = 'data/primary_transactions';
  const { firn, open, query } = await project({
    sources: { data: { url: 'http://127.0.0.1:1', network: 'fuji' } },
    pipelines: { a: { streams: { [stream]: { blockchainIds: ['p-chain', 'x-chain'], from: '2026-02-20' } } } },
  });
  const state = await open();
  const key = (chain: string) => `network=fuji,blockchain=${chain}`;
  const dropped = `${key('p-chain')},addresses=x`;
  for (const [partition, begun] of [
    [key('p-chain'), '2026-01-20'],
    [key('x-chain'), '2026-01-20'],
    [`${key('p-chain')},addresses=y`, '2026-02-20'],
    [dropped, '2026-01-20'],
  ]) {
    await state.run(`INSERT INTO firn.checkpoint VALUES ('${stream}', '${partition}', '{}', 1, now()::TIMESTAMP);
      INSERT INTO firn.begun VALUES ('${stream}', '${partition}', '${begun}')`);
  }
  state.close();
  const { json } = await firn('--json', 'state', 'drop', stream, dropped, '--dry-run');
  const reads = (partition: string, asked: string) => ({ partition, asked });
  expect(json.backfills).toEqual([
    reads(key('p-chain'), '2026-01-20'),
    reads(`${key('p-chain')},addresses=y`, '2026-02-20'),
  ]);
  const { out } = await firn('state', 'drop', stream, dropped);
  expect(out).toContain(
    `${key('p-chain')} shares rows with it and was read from 2026-01-20 on. While firn.yaml names it, the next run reads it again from its "from" on, and "firn backfill ${stream} --from 2026-01-20" after that the rest.`,
  );
  expect(await query('SELECT "partition" FROM firn.checkpoint ORDER BY 1')).toEqual(
    [`${key('p-chain')},addresses=y|backfill`, `${key('p-chain')}|backfill`, key('x-chain')].map((partition) => ({
      partition,
    })),
  );
});

test('what was dropped counts as dropped, not as up to date, until it is read again', async () => {
  const devnet = await startDevnet({ head: '3%' });
  onTestFinished(() => devnet.close());
  const { firn } = await project({
    sources: sourcesOf(devnet),
    pipelines: { main: { streams: { 'data/chains': {}, 'node/platform_supply': {} } } },
  });
  const state = async () => {
    const { json } = await firn('--json', 'status');
    const { out } = await firn('status');
    const [chains] = json.streams;
    return [/data\/chains +(\w+)/.exec(out)?.[1], chains.partitions[0].outcome, chains.lastRead !== null];
  };
  expect((await firn('sync')).code).toBe(0);
  expect(await state()).toEqual(['up', 'done', true]);
  expect((await firn('state', 'drop', 'data/chains', '--dry-run')).code).toBe(0);
  expect(await state()).toEqual(['up', 'done', true]);
  expect((await firn('state', 'drop', 'data/chains')).code).toBe(0);
  expect(await state()).toEqual(['dropped', 'dropped', false]);
  expect((await firn('status')).out).toMatch(/node\/platform_supply +up to date/);
  expect((await firn('sync')).code).toBe(0);
  expect(await state()).toEqual(['up', 'done', true]);
});

test('what was dropped by a command that could not tell it is told by the next one', async () => {
  const devnet = await startDevnet({ head: '3%' });
  onTestFinished(() => devnet.close());
  const { firn, warehouse } = await project({
    sources: sourcesOf(devnet),
    pipelines: { main: { streams: { 'data/chains': {} } } },
  });
  const outcome = async () => (await firn('--json', 'status')).json.streams[0].partitions[0].outcome;
  expect((await firn('sync')).code).toBe(0);
  const file = join(warehouse, '.state', 'dropped.json');
  // No file takes the place of a folder: the drop is done, and what comes after it is not.
  await mkdir(file);
  expect((await firn('state', 'drop', 'data/chains')).code).toBe(0);
  expect(await outcome()).toBe('done');
  await rm(file, { recursive: true });
  expect((await firn('state', 'list')).code).toBe(0);
  expect(await outcome()).toBe('dropped');
});

test('a CSV of the folder refs that cannot be read makes firn run end with 4, and the others are there', async () => {
  const { firn, query, warehouse } = await project({ sources: {} });
  await mkdir(join(warehouse, 'refs'), { recursive: true });
  await writeFile(join(warehouse, 'refs', 'prices.csv'), 'day,usd\n2026-01-01,17.25\n');
  await writeFile(join(warehouse, 'refs', 'broken.csv'), 'a,b\n1\n');
  const { code, out } = await firn('publish');
  expect(out).toContain('refs/broken.csv was not loaded: CSV Error on Line: 2');
  expect(code).toBe(4);
  expect(await query('FROM refs.prices')).toEqual([{ day: '2026-01-01', usd: '17.25' }]);
});

test('a build that needs more than memoryLimit says so, and builds with more', async () => {
  const { warehouse } = await built();
  const build = (memoryLimit: string) =>
    runPhases({
      settings: { ...settingsSchema(declared).parse({ sources: {}, pipelines: {}, memoryLimit }), warehouse },
      catalogue,
      phases: ['build'],
      signal: new AbortController().signal,
      log: pino({ level: 'silent' }),
    });
  const { exitCode, problems } = await build('2 MB');
  expect(exitCode).toBe(1);
  expect(problems[0]?.message).toMatch(/DuckDB needs more memory than it may take\. Raise memoryLimit in firn\.yaml/);
  expect((await build('1GB')).exitCode).toBe(0);
  expect(() => settingsSchema(declared).parse({ sources: {}, pipelines: {}, memoryLimit: 'much' })).toThrow(
    'such as 4GB',
  );
});
