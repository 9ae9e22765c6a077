/** @module-tag long */
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startDevnet } from 'firn-devnet';
import { beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { catalogue } from '../../pipelines/index.ts';
import { readConfig } from '../../src/cli/config/config.ts';
import { runSummary } from '../../src/cli/text/runSummary.ts';
import type { Log } from '../../src/core/log.ts';
import { tablesOf } from '../../src/core/stream/stream.ts';
import { openWarehouse } from '../../src/load/state/warehouse.ts';
import { readCurrent } from '../../src/publish/manifest.ts';
import { openReader } from '../../src/publish/reader/openReader.ts';
import { repairReaderDatabase } from '../../src/publish/reader/repairReaderDatabase.ts';
import { assessHealth } from '../../src/report/health/assessHealth.ts';
import { heldBackBy } from '../../src/report/health/heldBackText.ts';
import { readRelations } from '../../src/report/read/readRelations.ts';
import { readReport } from '../../src/report/read/readReport.ts';
import { readStatus } from '../../src/report/read/readStatus.ts';
import { runPhases } from '../../src/run/phases/runPhases.ts';
import { type Phase, phases, type RunReport } from '../../src/run/records/runReport.ts';
import type { Model } from '../../src/transform/models/model.ts';
import { parseModel } from '../../src/transform/models/parseModel.ts';
import { readModels } from '../../src/transform/models/readModels.ts';
import { explain } from '../../src/transform/reconcile/explain.ts';
import { sourcesOf } from '../cli/cliHarness.ts';
import { placeState } from '../placeState.ts';
import { verifyWhole } from '../publish/verify/verifyWhole.ts';
import { some } from '../some.ts';
import { temporary } from '../temporaryFolders.ts';

const silent: Log = { debug() {}, warn() {} };
let made: string;

/** The beginning of the history, as far as both sources tell of it, built and published: to be copied. */
beforeAll(async () => {
  const devnet = await startDevnet({ head: '20%' });
  made = await temporary();
  await placeState(made, undefined, { isBuilt: true });
  const streams = {
    'node/containers': { indexes: ['P/block'] },
    'node/evm_blocks': { blockchainIds: ['C'] },
    'data/chains': {},
    'data/primary_transactions': { blockchainIds: ['p-chain'] },
  };
  const configuration = { warehouse: '.', sources: sourcesOf(devnet), pipelines: { main: { streams } } };
  await writeFile(join(made, 'firn.yaml'), stringify(configuration));
  const { exitCode } = await run(made, phases);
  expect(exitCode).toBe(0);
  await devnet.close();
});

/** A copy of what was made; without what was published where `fresh`. */
async function copyOf(fresh = false): Promise<string> {
  const folder = await temporary();
  for (const part of ['.state', 'firn.yaml', ...(fresh ? [] : ['lake', 'analytics.duckdb'])])
    await cp(join(made, part), join(folder, part), { recursive: true });
  if (!fresh) await repairReaderDatabase(folder);
  return folder;
}

/** Changes the state as a load would: the rows that are touched come with a new load. */
async function load(folder: string, ...statements: string[]): Promise<void> {
  const warehouse = await openWarehouse({ folder, tables: tablesOf(catalogue) });
  try {
    await warehouse.run(
      `INSERT INTO firn.load SELECT * REPLACE ((SELECT max(load_id) + 1 FROM firn.load) AS load_id) FROM firn.load LIMIT 1`,
    );
    for (const statement of statements) {
      await warehouse.run(statement.replaceAll('$load', '(SELECT max(load_id) FROM firn.load)'));
    }
  } finally {
    warehouse.close();
  }
}

const run = (
  folder: string,
  only: readonly Phase[] = ['build', 'reconcile', 'publish'],
  models?: readonly Model[],
): Promise<RunReport> =>
  runPhases({
    ...(models && { models }),
    settings: readConfig({ config: join(folder, 'firn.yaml') }),
    catalogue,
    phases: only,
    signal: new AbortController().signal,
    log: silent,
  });

async function readers<T>(folder: string, sql: string): Promise<T[]> {
  const reader = await openReader(folder);
  try {
    return (await reader.query(sql)) as T[];
  } finally {
    reader.close();
  }
}

const fork = `UPDATE raw.node_evm_blocks SET parent_hash = '0xother', _load_id = $load WHERE "number" = 300`;
const rename = `UPDATE raw.data_chains SET chain_name = 'Renamed', _load_id = $load`;
const forked = `SELECT count(*) AS n FROM mart.fct_block WHERE NOT linked AND "number" = 300`;

/** What status says; and the report can be read. */
const status = async (folder: string) => {
  const reader = await openReader(folder);
  try {
    const context = {
      now: Date.now(),
      firnVersion: '0',
      running: null,
      dailyQuota: {},
      runs: [],
      unreadable: null,
      unresolved: null,
      pipelines: [],
      times: new Map(),
    };
    const relations = await readRelations(reader);
    await readReport(reader, relations, context);
    return await readStatus(reader, relations, context);
  } finally {
    reader.close();
  }
};

describe('a chain that is broken', () => {
  test('keeps what is built on it at its last good version, and all else is published, until it is mended', async () => {
    const folder = await copyOf();
    const shown = `SELECT count(*) AS n, sum("number") AS sum FROM mart.fct_block`;
    const coverage = 'SELECT * FROM firn.coverage ORDER BY ALL';
    const before = await readers(folder, shown);
    const covered = await readers(folder, coverage);
    await load(folder, fork, rename);

    const report = await run(folder);
    expect(report.exitCode).toBe(3);
    expect(report.problems).toEqual([]);
    expect(report.published?.isNew).toBe(true);
    expect(report.reconciliation).toBeNull();
    const held = new Set(report.heldBack.map(({ relation }) => relation));
    for (const name of [
      'raw.node_evm_blocks',
      'staging.evm_block',
      'mart.fct_block',
      'mart.metric',
      'mart.reconciliation',
      'firn.coverage',
    ])
      expect(held, name).toContain(name);
    for (const name of ['mart.fct_utxo', 'mart.fct_staking', 'raw.data_chains', 'raw.node_containers'])
      expect(held, name).not.toContain(name);
    expect(new Set(report.heldBack.map(({ audit }) => audit))).toEqual(new Set(['assert_parent_hashes_link']));
    expect(runSummary(report)).toMatch(
      /held back since [-0-9]{10} [:0-9]{8} UTC by assert_parent_hashes_link: [\w., ]+ and \d+ more$/m,
    );

    // Readers see the old chain, and the new name.
    expect(await readers(folder, forked)).toEqual([{ n: 0n }]);
    expect(await readers(folder, shown)).toEqual(before);
    expect(await readers(folder, coverage)).toEqual(covered);
    expect(await readers(folder, 'SELECT DISTINCT chain_name FROM raw.data_chains')).toEqual([
      { chain_name: 'Renamed' },
    ]);
    expect((await readCurrent(folder))?.held_back).toEqual([...held].sort());
    expect((await verifyWhole(folder)).failures).toEqual([]);
    const told = await status(folder);
    expect(heldBackBy(told.unresolved).map(({ audit, relations }) => [audit, relations.length])).toEqual([
      ['assert_parent_hashes_link', held.size],
    ]);
    expect(
      assessHealth(told)
        .findings.map(({ sentence }) => sentence)
        .join(),
    ).toContain('are held back');

    // It lasts, also where nothing is built, and says since when.
    const again = await run(folder, ['publish']);
    expect([again.exitCode, again.heldBack]).toEqual([3, report.heldBack]);
    expect(await readers(folder, forked)).toEqual([{ n: 0n }]);
    const rebuilt = await run(folder);
    expect([rebuilt.exitCode, rebuilt.heldBack]).toEqual([3, report.heldBack]);

    await load(
      folder,
      `UPDATE raw.node_evm_blocks AS b SET parent_hash = p.hash, _load_id = $load FROM raw.node_evm_blocks AS p
       WHERE b."number" = 300 AND p."number" = 299 AND p.chain_id = b.chain_id`,
    );
    const mended = await run(folder);
    expect([mended.exitCode, mended.heldBack]).toEqual([0, []]);
    expect(await readers(folder, 'SELECT * FROM firn.held_back')).toEqual([]);
    expect((await readCurrent(folder))?.held_back).toEqual([]);
    expect(await readers(folder, shown)).toEqual(before);
    expect((await verifyWhole(folder)).failures).toEqual([]);
  });

  test('is absent from a first version, with a note', async () => {
    const folder = await copyOf(true);
    await load(folder, fork);
    const report = await run(folder);
    expect(report.exitCode).toBe(3);
    const relations = await readers<{ name: string }>(
      folder,
      `SELECT schema_name || '.' || table_name AS name FROM duckdb_tables() UNION SELECT schema_name || '.' || view_name FROM duckdb_views() WHERE NOT internal`,
    );
    const names = new Set(relations.map(({ name }) => name));
    for (const { relation } of some(report.heldBack)) expect(names, relation).not.toContain(relation);
    for (const name of ['mart.fct_utxo', 'raw.node_containers', 'firn.held_back']) expect(names, name).toContain(name);
    const [noted] = await readers<{ n: bigint }>(folder, 'SELECT count(*) AS n FROM firn.held_back');
    expect(Number(noted?.n)).toBe(report.heldBack.length);
    expect(heldBackBy((await status(folder)).unresolved)).toHaveLength(1);
    const reader = await openReader(folder);
    const asked = { chain: '43112', metric: 'txCount', bucket: '2026-01-20' };
    await expect(explain(reader, await readModels(), asked)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('firn status'),
    });
    reader.close();
  });
});

test('two sources that disagree are published, and told', async () => {
  const folder = await copyOf();
  await load(
    folder,
    `UPDATE raw.data_primary_transactions SET tx_type = 'OtherTx', _load_id = $load WHERE block_number > 0`,
  );
  const report = await run(folder);
  expect([report.exitCode, report.heldBack]).toEqual([3, []]);
  expect(report.audits.filter(({ failedRows }) => failedRows > 0)).toMatchObject([
    { name: 'assert_data_primary_transactions_equal_containers', severity: 'warns' },
  ]);
  const [shown] = await readers<{ n: bigint }>(
    folder,
    `SELECT count(*) AS n FROM raw.data_primary_transactions WHERE tx_type = 'OtherTx'`,
  );
  expect(Number(shown?.n)).toBeGreaterThan(0);
});

test('views that readers cannot have are held back, and all else is published', async () => {
  const folder = await copyOf();
  const view = (name: string, sql: string) =>
    parseModel(`mart.${name}`, `mart/${name}.sql`, `/*\ndescription: a view of ours.\n*/\n${sql}`);
  const models = [
    ...(await readModels()),
    view('numbered', 'SELECT rowid AS n FROM raw.data_chains'),
    view('counted', 'SELECT count(*) AS n FROM mart.numbered'),
    view('named', 'SELECT chain_name FROM raw.data_chains'),
  ];
  await load(folder, rename);
  for (const isNew of [true, false]) {
    const report = await run(folder, undefined, models);
    expect(report.exitCode).toBe(1);
    expect(report.problems).toMatchObject([
      {
        code: 'failed',
        message: expect.stringMatching(/^mart\.(counted|numbered), mart\.\w+ cannot be shown to readers: /),
      },
    ]);
    expect(report.heldBack.map(({ relation }) => relation)).toEqual(['mart.counted', 'mart.numbered']);
    expect(report.published).toMatchObject({ version: 2, isNew });
    expect(await readers(folder, 'SELECT DISTINCT chain_name FROM mart.named')).toEqual([{ chain_name: 'Renamed' }]);
    expect((await verifyWhole(folder)).failures).toEqual([]);
  }
  const mended = await run(
    folder,
    undefined,
    models.filter(({ name }) => !/numbered|counted/.test(name)),
  );
  expect([mended.exitCode, mended.heldBack]).toEqual([0, []]);
});
