/** @module-tag long */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Warehouse } from '../../../src/load/state/warehouse.ts';
import { parseAudit } from '../../../src/transform/audits/parseAudit.ts';
import { runAudits } from '../../../src/transform/audits/runAudits.ts';
import { type BrokenModel, buildModels } from '../../../src/transform/builds/buildModels.ts';
import { holdBack } from '../../../src/transform/heldBack.ts';
import type { Model } from '../../../src/transform/models/model.ts';
import { parseModel } from '../../../src/transform/models/parseModel.ts';
import { readModels } from '../../../src/transform/models/readModels.ts';
import { loadMadeUp, madeUpChain } from '../madeUpChain.ts';
import { modelsUnder } from '../metricModels.ts';
import { copyOf, forgetBuild, type TestWarehouse, temporaryWarehouse } from '../warehouse.ts';

let half: TestWarehouse;
let built: TestWarehouse;
let models: readonly Model[];
/** Every metric once all is built. */
let whole: readonly object[];
const blocks = madeUpChain(3, 30);

const metricsOf = (warehouse: Warehouse) => warehouse.query('SELECT * FROM mart.metric ORDER BY ALL');

/** Half of a chain is built, and the other half is loaded: once, and each test has a copy. */
beforeAll(async () => {
  half = await temporaryWarehouse();
  models = await readModels();
  await loadMadeUp(half.warehouse, '1001', blocks.slice(0, 15));
  await buildModels(half.warehouse, { models });
  await loadMadeUp(half.warehouse, '1001', blocks.slice(15));
  half.warehouse.close();
  const { warehouse, dispose } = await copyOf(half);
  await forgetBuild(warehouse);
  await buildModels(warehouse, { models });
  whole = await metricsOf(warehouse);
  await dispose();
});
afterAll(() => half.dispose());
beforeEach(async () => {
  built = await copyOf(half);
});
afterEach(() => built.dispose());

/** The models with the SQL of one changed. */
const harmed = (name: string, change: (sql: string) => string): Model[] =>
  models.map((model) => (model.name === name ? { ...model, sql: change(model.sql) } : model));

async function buildBroken(given: readonly Model[]): Promise<BrokenModel[]> {
  const broken: BrokenModel[] = [];
  await buildModels(built.warehouse, { models: given, onBroken: (model) => broken.push(model) });
  return broken;
}

const highest = async (table: string) => {
  const [row] = await built.warehouse.query<{ n: bigint | null }>(`SELECT max("number") AS n FROM ${table}`);
  return Number(row?.n);
};

/** The line of the file on which something stands. */
const lineOf = (name: string, text: string) => {
  const { sql = '', line = 0 } = models.find((model) => model.name === name) ?? {};
  return line + sql.slice(0, sql.indexOf(text)).split('\n').length - 1;
};

const builds = async () => {
  expect(await buildBroken(models)).toEqual([]);
  expect(await metricsOf(built.warehouse)).toEqual(whole);
  expect(await highest('mart.fct_contract_creation')).toBeGreaterThan(14);
};

const prices = (price: string) =>
  built.warehouse.run(`CREATE OR REPLACE TABLE refs.prices AS SELECT '${price}' AS price`);

/** The tables that a build made again. */
async function builtAnew(models: readonly Model[]): Promise<string[]> {
  const told = await buildModels(built.warehouse, { models, onBroken: () => {} });
  return told.filter(({ kind, seconds }) => kind === 'table' && seconds > 0).map(({ name }) => name);
}

describe('a model that fails', () => {
  test.each<[string, (sql: string) => string, () => RegExp]>([
    [
      'names what there is not',
      (sql) => sql.replace('FROM staging.evm_trace', 'FROM staging.evm_jam'),
      () => new RegExp(`:${lineOf('mart.fct_contract_creation', 'FROM staging.evm_trace')}: Catalog Error: .*evm_jam`),
    ],
    [
      'is no SQL',
      (sql) => sql.replace('FROM staging.evm_trace', 'FRM staging . evm_trace'),
      () => /It is not one SELECT/,
    ],
    ['is two', (sql) => `${sql};\nSELECT 1`, () => /It is not one SELECT, but 2/],
    [
      'meets a value that it cannot read',
      (sql) => `SELECT * FROM (${sql}\n) WHERE CAST(creator || 'x' AS INTEGER) > 0`,
      () => /Conversion Error/,
    ],
  ])('because it %s stays as it was with what is built on it, and the others are built', async (_, change, message) => {
    const before = await highest('mart.fct_contract_creation');
    const [broken, ...more] = await buildBroken(harmed('mart.fct_contract_creation', change));
    expect(more).toEqual([]);
    expect(broken?.name).toBe('mart.fct_contract_creation');
    expect(broken?.error.message).toMatch(/^sql\/models\/mart\/fct_contract_creation\.sql:\d+: /);
    expect(broken?.error.message).toMatch(message());
    const leftOut = broken?.leftOut ?? new Set();
    for (const name of ['mart.deployer_first_seen', 'mart.metric_contracts', 'mart.metric', 'mart.metric_daily']) {
      expect(leftOut.has(name), name).toBe(true);
    }
    expect(leftOut.has('mart.chain_bucket')).toBe(false);
    expect(await highest('mart.fct_contract_creation')).toBe(before);
    expect(await highest('mart.fct_block')).toBe(blocks.at(-1)?.number);
    await builds();
  });

  test('because its columns are not what its header says takes along what is built on it alone', async () => {
    const own = (name: string, sql: string, files = 'order: [share]') =>
      parseModel(
        name,
        `my/${name}.sql`,
        `/*\ndescription: what a test needs\nkept: table\nfiles: { ${files} }\n*/\n${sql}`,
      );
    const daily = (name: string, kept: string, counted: string) =>
      parseModel(
        name,
        `my/${name}.sql`,
        `/*\ndescription: what a test needs\nkept: ${kept}\n*/\nSELECT chain_id, CAST(block_time AS DATE) AS "day"${counted} FROM mart.fct_block GROUP BY ALL`,
      );
    const given = [
      daily('mart.own_days', 'table by day', ', count(*) AS blocks'),
      daily('mart.own_first', 'earliest by chain_id', ''),
      own('mart.own', "SELECT MAP {'a': 1} AS shares, 2 AS share"),
      own('mart.own_reader', 'SELECT share FROM mart.own'),
      own('mart.own_untimed', 'SELECT 2 AS share', 'time: day, order: [share]'),
      own('mart.own_wrong', 'SELECT 2 AS share', 'time: share, order: [Share]'),
    ];
    const broken = await buildBroken([...models, ...given]);
    expect(broken.map(({ leftOut }) => [...leftOut])).toEqual([
      ['mart.own_days'],
      ['mart.own_first'],
      ['mart.own', 'mart.own_reader'],
      ['mart.own_untimed'],
      ['mart.own_wrong'],
    ]);
    expect(broken.map(({ error }) => error.message)).toEqual([
      ...['days', 'first'].map(
        (name) =>
          `my/mart.own_${name}.sql:5: day, by which its rows belong to hours, is DATE. Make it a TIMESTAMP; keep rows of days as table by bucket.`,
      ),
      expect.stringMatching(/^my\/mart\.own\.sql:6: Column mart\.own\.shares has the type MAP\(VARCHAR, INTEGER\), /),
      "my/mart.own_untimed.sql:6: The header's files name day, which is no column of it.",
      "my/mart.own_wrong.sql:6: The header's files.time is share, which is INTEGER. Name a DATE or TIMESTAMP.",
    ]);
    expect(await highest('mart.fct_block')).toBe(blocks.at(-1)?.number);
  });

  test('because its header was changed alone is found, too', async () => {
    const cutBy = (column: string) =>
      parseModel(
        'mart.own',
        'my/own.sql',
        `/*\ndescription: what a test needs\nkept: table\nfiles: { order: [${column}] }\n*/\nSELECT 2 AS share`,
      );
    const few = await modelsUnder([]);
    expect(await buildBroken([...few, cutBy('share')])).toEqual([]);
    expect(await buildBroken([...few, cutBy('shares')])).toMatchObject([{ name: 'mart.own' }]);
  });

  test('takes all that is kept by blocks along where nobody can tell which blocks changed', async () => {
    const before = await highest('mart.fct_transaction');
    const [broken] = await buildBroken(harmed('mart.fct_block', (sql) => sql.replace('b.miner', 'b.jam')));
    expect(broken?.leftOut.has('mart.fct_transaction')).toBe(true);
    expect(broken?.leftOut.has('mart.fct_utxo')).toBe(false);
    expect(await highest('mart.fct_transaction')).toBe(before);
    await builds();
  });

  test('leaves the others of a warehouse that was never built', async () => {
    const fresh = await temporaryWarehouse();
    try {
      await loadMadeUp(fresh.warehouse, '1001', blocks);
      const broken: BrokenModel[] = [];
      const given = harmed('staging.evm_block', (sql) => sql.replaceAll('raw.node_evm_blocks', 'raw.node_evm_jam'));
      await buildModels(fresh.warehouse, { models: given, onBroken: (model) => broken.push(model) });
      expect(broken.map(({ name }) => name)).toEqual(['staging.evm_block']);
      expect(await fresh.warehouse.query('SELECT count(*) AS n FROM mart.fct_utxo')).toEqual([{ n: 0n }]);
      await buildModels(fresh.warehouse, { models });
      expect(await fresh.warehouse.query('SELECT max("number") AS n FROM mart.fct_block')).toEqual([
        { n: BigInt(blocks.at(-1)?.number ?? 0) },
      ]);
    } finally {
      await fresh.dispose();
    }
  });

  test('and is built whole has no other one built from scratch, and is built once it can be', async () => {
    const { warehouse } = built;
    const file =
      '/*\ndescription: what a test needs\nkept: table\n*/\nSELECT CAST(price AS INTEGER) AS price FROM refs.prices';
    const above = '/*\ndescription: what a test needs\nkept: table\n*/\nSELECT max(price) AS price FROM mart.own';
    const given = [
      ...models,
      parseModel('mart.own', 'mart/own.sql', file),
      parseModel('mart.own_above', 'mart/own_above.sql', above),
    ];
    await prices('1');
    expect(await buildBroken(given)).toEqual([]);
    await prices('x');
    for (let time = 0; time < 2; time++) {
      expect((await buildBroken(given)).map(({ name }) => name)).toEqual(['mart.own']);
      expect(await warehouse.query('FROM mart.own_above')).toEqual([{ price: 1 }]);
      expect(await builtAnew(given)).toEqual([]);
    }
    await loadMadeUp(warehouse, '1001', blocks.slice(0, 4), 'altered');
    expect(await builtAnew(given)).not.toContain('mart.fct_utxo');
    await prices('2');
    expect(await builtAnew(given)).toEqual(['mart.own', 'mart.own_above']);
    expect(await warehouse.query('FROM mart.own_above')).toEqual([{ price: 2 }]);
    const metrics = await metricsOf(warehouse);
    await forgetBuild(warehouse);
    await buildModels(warehouse, { models: given });
    expect(metrics).toEqual(await metricsOf(warehouse));
  });

  test('and is kept by blocks has no other one built from scratch, and is made whole once it can be', async () => {
    const { warehouse } = built;
    const file =
      '/*\ndescription: what a test needs\nkept: table by block_time\n*/\nSELECT b.chain_id, b.block_time, CAST(price AS INTEGER) AS price FROM staging.evm_block AS b CROSS JOIN refs.prices';
    const given = [...models, parseModel('mart.own', '/mart/own.sql', file)];
    await prices('x');
    // It fails in the hour of the first block; the others are built of all blocks nevertheless.
    expect((await buildBroken(given)).map(({ name }) => name)).toEqual(['mart.own']);
    expect(await metricsOf(warehouse)).toEqual(whole);
    await prices('1');
    expect(await buildBroken(given)).toEqual([]);
    await prices('x');
    await loadMadeUp(warehouse, '1001', blocks.slice(0, 4), 'altered');
    expect((await buildBroken(given)).map(({ name }) => name)).toEqual(['mart.own']);
    expect(await builtAnew(given)).toEqual([]);
    await prices('2');
    expect(await builtAnew(given)).toEqual(['mart.own']);
    expect(await warehouse.query('SELECT price, count(*) AS n FROM mart.own GROUP BY ALL')).toEqual(
      await warehouse.query('SELECT 2 AS price, count(*) AS n FROM staging.evm_block'),
    );
    const metrics = await metricsOf(warehouse);
    await forgetBuild(warehouse);
    await buildModels(warehouse, { models: given });
    expect(metrics).toEqual(await metricsOf(warehouse));
  });

  test('and tells of buckets has what they prove made whole for every chain once it can be', async () => {
    const { warehouse } = built;
    const given = harmed(
      'mart.chain_bucket',
      (sql) => `SELECT b.* FROM (${sql}\n) AS b CROSS JOIN refs.prices WHERE CAST(price AS INTEGER) > 0`,
    );
    await prices('1');
    await loadMadeUp(warehouse, '1002', blocks.slice(0, 15));
    expect(await buildBroken(given)).toEqual([]);
    await prices('x');
    await loadMadeUp(warehouse, '1002', blocks.slice(15));
    expect((await buildBroken(given)).map(({ name }) => name)).toEqual(['mart.chain_bucket']);
    await prices('1');
    await loadMadeUp(warehouse, '1001', blocks.slice(0, 4), 'altered');
    expect(await buildBroken(given)).toEqual([]);
    const shown = async () => [await metricsOf(warehouse), await warehouse.query('FROM firn.coverage ORDER BY ALL')];
    const late = await shown();
    await forgetBuild(warehouse);
    await buildModels(warehouse, { models: given });
    expect(late).toEqual(await shown());
  });

  test('does not keep another broken one from being told', async () => {
    const two = harmed('mart.fct_contract_creation', (sql) =>
      sql.replace('FROM staging.evm_trace', 'FROM staging.evm_jam'),
    ).map((model) => (model.name === 'mart.fct_utxo' ? { ...model, sql: `${model.sql} jam jam` } : model));
    const names = (await buildBroken(two)).map(({ name }) => name).sort();
    expect(names).toEqual(['mart.fct_contract_creation', 'mart.fct_utxo']);
    await builds();
  });

  test('is an error where nobody listens, and nothing is built', async () => {
    const before = await highest('mart.fct_block');
    const given = harmed('mart.fct_log', (sql) => sql.replace('staging.evm_log', 'staging.evm_jam'));
    await expect(buildModels(built.warehouse, { models: given })).rejects.toThrow(
      /sql\/models\/mart\/fct_log\.sql:\d+/,
    );
    expect(await highest('mart.fct_block')).toBe(before);
  });
});

describe('an audit', () => {
  const audit = (name: string, select: string, severity = 'blocks') =>
    parseAudit(
      `sql/audits/assert_${name}.sql`,
      `/*\nclaim: Tokens flow.\nprotects: [mart.token_flow]\nseverity: ${severity}\n*/\n\n${select}`,
    );

  test('that cannot be run names its file and line, and the others are run', async () => {
    const results = await runAudits(built.warehouse, {
      audits: [
        audit('broken', '-- why\nSELECT 1,\n  jam\nFROM mart.fct_block -- all'),
        audit('holds', 'SELECT 1 WHERE false'),
        audit('fails', "SELECT 'mart.fct_log' AS relation FROM range(2)"),
      ],
    });
    expect(results.map(({ failedRows, problem }) => [failedRows, problem?.slice(0, 44) ?? null])).toEqual([
      [0, 'sql/audits/assert_broken.sql:9: Binder Error'],
      [0, null],
      [2, null],
    ]);
    expect(results[2]?.protects).toEqual(['mart.fct_log']);
    await holdBack(built.warehouse, [], results);
    const held = await built.warehouse.query<{ relation: string; audit: string }>(
      'SELECT relation, audit FROM firn.held_back ORDER BY audit, relation',
    );
    expect(held).toEqual([
      { relation: 'mart.token_flow', audit: 'assert_broken' },
      { relation: 'mart.fct_log', audit: 'assert_fails' },
    ]);
  });

  test('holds back since when it began, and only while it blocks', async () => {
    const look = (given: ReturnType<typeof audit>[]) =>
      runAudits(built.warehouse, { audits: given }).then((results) => holdBack(built.warehouse, [], results));
    const failing = audit('one', 'SELECT 1');
    const [first] = await look([failing]);
    expect(first).toMatchObject({
      relation: 'mart.token_flow',
      audit: 'assert_one',
      reason: "1 row contradicts the audit's claim: Tokens flow.",
    });
    expect((await look([failing, audit('two', 'SELECT 1', 'warns')])).map(({ since }) => since)).toEqual([
      first?.since,
    ]);
    expect(await look([audit('one', 'SELECT 1 WHERE false')])).toEqual([]);
  });

  test('that reads what could not be built says nothing', async () => {
    const leftOut = new Set(['mart.fct_block']);
    const given = [audit('reader', 'SELECT 1 FROM MART.fct_block'), audit('other', 'SELECT 1 FROM mart.fct_log')];
    const results = await runAudits(built.warehouse, { audits: given, leftOut });
    expect(results.map(({ name }) => name)).toEqual(['assert_other']);
  });
});
