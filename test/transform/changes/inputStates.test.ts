import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildModels } from '../../../src/transform/builds/buildModels.ts';
import { inputStates } from '../../../src/transform/changes/inputStates.ts';
import type { Model } from '../../../src/transform/models/model.ts';
import { parseModel } from '../../../src/transform/models/parseModel.ts';
import { loadMadeUp, madeUpChain } from '../madeUpChain.ts';
import { metricModels } from '../metricModels.ts';
import { type TestWarehouse, temporaryWarehouse } from '../warehouse.ts';

/** Tables whose value is another one whenever they are built. */
const own = {
  ends: 'raw.node_platform_validators',
  rows: 'raw.node_containers_p_outputs',
  chains: 'firn.chain',
  prices: 'refs.prices',
  proofs: 'firn.evidence',
  records: 'firn.quarantine',
  labels: 'firn.address_label',
  blocks: 'mart.fct_block',
  above: 'mart.own_rows',
};
type Own = keyof typeof own;
const modelOf = ([name, from]: [string, string]) =>
  parseModel(
    `mart.own_${name}`,
    `mart/own_${name}.sql`,
    `/*\ndescription: what a test needs\nkept: table\n*/\nSELECT uuid() AS built, count(*) AS "rows" FROM ${from}`,
  );

let models: Model[];
let built: TestWarehouse;
beforeAll(async () => {
  built = await temporaryWarehouse();
  models = [...(await metricModels()), ...Object.entries(own).map(modelOf)];
  await loadMadeUp(built.warehouse, '1001', madeUpChain(5, 20));
  await load(`INSERT INTO raw.node_platform_validators BY NAME SELECT ${await filled('node_platform_validators')}`);
  await built.warehouse.run('CREATE TABLE refs.prices AS SELECT 1 AS input, 2 AS prices, 3 AS price, 4 AS now');
  await built.warehouse.run(
    `INSERT INTO firn.quarantine BY NAME SELECT * EXCLUDE _load_id FROM (SELECT ${await filled('quarantine')})`,
  );
  await buildModels(built.warehouse, { models });
}, 120_000);
afterAll(() => built.dispose());

/** A value for each column that must have one. */
async function filled(table: string): Promise<string> {
  const columns = await built.warehouse.query<{ name: string; type: string }>(
    `SELECT column_name AS name, data_type AS type FROM duckdb_columns() WHERE table_name = '${table}' AND NOT is_nullable AND column_name <> '_load_id'`,
  );
  const values = columns.map(({ name, type }) => {
    const text = { BOOLEAN: 'true', TIMESTAMP: '2026-01-05' }[type] ?? (type.endsWith('[]') ? '[]' : '1');
    return `CAST('${text}' AS ${type}) AS "${name}"`;
  });
  return ['(SELECT max(load_id) FROM firn.load) AS _load_id', ...values].join(', ');
}

/** A load, and what it changes. */
async function load(change: string): Promise<void> {
  await built.warehouse.run(
    `INSERT INTO firn.load BY NAME SELECT * REPLACE ((SELECT max(load_id) + 1 FROM firn.load) AS load_id) FROM firn.load WHERE rows_written > 0 LIMIT 1; ${change}`,
  );
}

async function values(): Promise<Record<Own, string>> {
  const each = Object.keys(own).map((name) => `(SELECT CAST(built AS VARCHAR) FROM mart.own_${name}) AS ${name}`);
  const [row] = await built.warehouse.query<Record<Own, string>>(`SELECT ${each.join(', ')}`);
  return row as Record<Own, string>;
}

async function builtAfter(change: string): Promise<string[]> {
  const before = await values();
  await load(change);
  await buildModels(built.warehouse, { models });
  const after = await values();
  return (Object.keys(own) as Own[]).filter((name) => after[name] !== before[name]);
}

const touched = (table: string, where = 'true') =>
  `UPDATE raw.${table} SET _load_id = (SELECT max(load_id) FROM firn.load) WHERE ${where}`;

test('a table that is built whole is built again where something beneath it changed, and nowhere else', {
  tags: 'long',
}, async () => {
  expect(await builtAfter('')).toEqual([]);
  expect(await builtAfter(touched('node_evm_blocks', '"number" = 3'))).toEqual(['blocks']);
  const output = `INSERT INTO raw.node_containers_p_outputs BY NAME SELECT ${await filled('node_containers_p_outputs')}`;
  expect(await builtAfter(output)).toEqual(['rows', 'above']);
  expect(await builtAfter(touched('node_containers_p_outputs'))).toEqual(['rows', 'above']);
  expect(await builtAfter(`${output}; ${touched('node_containers_p_outputs')}`)).toEqual(['rows', 'above']);
  const one = '(SELECT max(rowid) FROM raw.node_containers_p_outputs)';
  expect(await builtAfter(`DELETE FROM raw.node_containers_p_outputs WHERE rowid = ${one}`)).toEqual(['rows', 'above']);
  expect(await builtAfter("UPDATE raw.node_platform_validators SET _valid_to = TIMESTAMP '2026-01-06'")).toEqual([
    'ends',
  ]);
  expect(
    await builtAfter("INSERT INTO firn.chain VALUES ('1', 'one', 'b', 'C', 'evm', 'g', TIMESTAMP '2026-01-05')"),
  ).toEqual(['chains']);
  expect(await builtAfter("UPDATE firn.chain SET name = 'two'")).toEqual(['chains']);
  expect(await builtAfter('UPDATE refs.prices SET price = 4')).toEqual(['prices']);
  expect(await builtAfter('')).toEqual([]);
});

test('a chain that becomes known is a change, though nothing was loaded', async () => {
  const before = await values();
  const build = () => buildModels(built.warehouse, { models });
  await built.warehouse.run("INSERT INTO firn.chain VALUES ('2', 'two', 'c', 'D', 'evm', 'h', now()::TIMESTAMP)");
  await build();
  const after = await values();
  expect(after).toEqual({ ...before, chains: expect.not.stringMatching(before.chains) });
  await build();
  expect(await values()).toEqual(after);
});

test('a clock that was ahead when a chain became known has nothing built again', async () => {
  const build = () => buildModels(built.warehouse, { models });
  const at = () => built.warehouse.query('SELECT built_at FROM firn.build_state');
  await built.warehouse.run(
    "INSERT INTO firn.chain VALUES ('3', 'ahead', 'e', 'E', 'evm', 'i', now()::TIMESTAMP + INTERVAL 1 YEAR)",
  );
  await build();
  const before = await at();
  await build();
  expect(await at()).toEqual(before);
});

test('when a table was built is noted, and stays so while it does', async () => {
  const builtAt = async () =>
    Object.fromEntries(
      (
        await built.warehouse.query<{ name: string; at: bigint }>(
          'SELECT name, epoch_us(built_at) AS at FROM firn.model',
        )
      ).map(({ name, at }) => [name, at]),
    );
  const before = await builtAt();
  await builtAfter(touched('node_evm_blocks', '"number" = 3'));
  const after = await builtAt();
  expect(after['mart.own_rows']).toBe(before['mart.own_rows']);
  for (const name of ['mart.own_blocks', 'mart.fct_block']) expect(after[name]).toBeGreaterThan(before[name] as bigint);
});

test.each([
  ['a chain has another name', "UPDATE firn.chain SET name = 'three'", 'chains'],
  ['a CSV is another one', 'UPDATE refs.prices SET price = 5', 'prices'],
  ['a record in quarantine came again', 'UPDATE firn.quarantine SET times_seen = 2', 'records'],
  ['an address is called otherwise', "INSERT INTO firn.address_label VALUES ('0x01', 'mine')", 'labels'],
  ['a block is proven', 'INSERT INTO firn.evidence BY NAME SELECT * EXCLUDE _load_id FROM (SELECT {filled})', 'proofs'],
])('what changed without a load is built, and told as built alone, where %s', async (_, change, name) => {
  const before = await values();
  await built.warehouse.run(change.replace('{filled}', await filled('evidence')));
  const told = await buildModels(built.warehouse, { models });
  expect(await values()).toEqual({ ...before, [name]: expect.not.stringMatching(before[name as Own]) });
  expect(told.filter(({ kind, seconds }) => kind === 'table' && seconds > 0).map((one) => one.name)).toEqual([
    `mart.own_${name}`,
  ]);
  expect((await buildModels(built.warehouse, { models })).filter(({ seconds }) => seconds > 0)).toEqual([]);
});

test('all are built again where a model is another one, and after a model that could not be built', {
  tags: 'long',
}, async () => {
  const before = await values();
  const other = models.map((model) =>
    model.name === 'mart.own_ends' ? modelOf(['ends', 'raw.node_platform_validators WHERE true']) : model,
  );
  await buildModels(built.warehouse, { models: other });
  const after = await values();
  expect(Object.keys(own).filter((name) => after[name as Own] === before[name as Own])).toEqual([]);
  const broken = modelOf(['broken', 'raw.nothing']);
  await load('');
  await buildModels(built.warehouse, { models: [...models, broken], onBroken: () => {} });
  const beside = await values();
  expect(Object.keys(own).filter((name) => after[name as Own] === beside[name as Own])).toEqual([]);
});

test('of the chains it is always known what they are, and of what is not there it is not known', async () => {
  const { text, isSame, isGrown } = await inputStates(built.warehouse, [], null);
  expect(Object.keys(JSON.parse(text))).toEqual(['firn.chain']);
  expect([isSame('refs.absent'), isGrown('refs.absent')]).toEqual([false, false]);
});
