import { expect, onTestFinished, test } from 'vitest';
import { buildModels } from '../../../src/transform/builds/buildModels.ts';
import { changesOf } from '../../../src/transform/changes/noteRebuilt.ts';
import type { PlacedModel } from '../../../src/transform/models/model.ts';
import { parseModel } from '../../../src/transform/models/parseModel.ts';
import { loadMadeUp, madeUpChain } from '../madeUpChain.ts';
import { modelsUnder } from '../metricModels.ts';
import { temporaryWarehouse } from '../warehouse.ts';

const model = (
  name: string,
  kept: string,
  references: readonly string[] = [],
  files = '{ order: [a] }',
): PlacedModel => ({
  ...parseModel(
    name,
    'x.sql',
    `/*\ndescription: A relation of a test.\nkept: ${kept}\nfiles: ${files}\n*/\nSELECT 1 AS a`,
  ),
  references,
  hash: '',
  problem: null,
});
const byTime = '{ chain: chain_id, time: block_time, order: [a] }';
const ranges = [
  { chain: '1', from: '2026-01-01 00:00:00', until: '2026-01-01 05:00:00' },
  { chain: '2', from: '2026-01-02 00:00:00', until: '2026-01-02 01:00:00' },
];
const models = [
  model('staging.evm_change', 'view', ['raw.node_evm_blocks', 'raw.node_evm_logs'], 'null'),
  model('mart.hours', 'table by block_time', ['raw.node_evm_blocks'], byTime),
  model('mart.whole', 'table', ['raw.data_nft_tokens']),
  model('mart.bucket', 'table by bucket', ['mart.hours']),
  model('mart.in_buckets', 'table by bucket', ['mart.hours'], '{ chain: chain_id, time: bucket, order: [a] }'),
  model('mart.first', 'earliest by chain_id', ['mart.hours']),
  model('mart.plain', 'view', ['mart.hours']),
  model('staging.between', 'view', ['mart.whole'], 'null'),
  model('mart.by_hours', 'view by block_time', ['raw.node_evm_logs', 'mart.hours', 'staging.between'], byTime),
  model('mart.with_own', 'view by block_time', ['raw.node_evm_logs', 'refs.prices'], byTime),
  model('mart.cut_otherwise', 'table by block_time', [], '{ chain: chain_id, time: other, order: [a] }'),
];
const jan5 = Date.UTC(2026, 0, 5, 12) / 1000;
interface Built {
  readonly ranges?: typeof ranges;
  readonly staying?: readonly string[];
  readonly late?: readonly string[];
  readonly same?: readonly string[];
}
const changes = ({ ranges, staying, late = [], same = ['refs.prices'] }: Built) =>
  changesOf({
    models,
    ranges,
    stretches: (ranges ?? []).map(({ chain }, i) => ({
      chain,
      from: jan5 + i * 86_400,
      until: jan5 + i * 86_400 + 60,
    })),
    late: models.filter(({ name }) => late.includes(name)),
    staying: new Set(staying),
    isSame: (relation) => same.includes(relation),
  }).map(({ relation, range }) => (range ? `${relation} ${range.chain}` : relation));

test.each<[string, Built, string[]]>([
  [
    'of what is kept by hours only these, of a view by hours too, unless a whole table beneath it changed',
    { ranges, staying: ['mart.whole'] },
    [
      'mart.hours 1',
      'mart.hours 2',
      'mart.bucket',
      'mart.in_buckets 1',
      'mart.in_buckets 2',
      'mart.first',
      'mart.by_hours 1',
      'mart.by_hours 2',
      'mart.with_own 1',
      'mart.with_own 2',
      'mart.cut_otherwise',
    ],
  ],
  [
    'what a view by hours reads beside blocks changed, though no block did',
    {
      ranges: [],
      staying: ['mart.hours', 'mart.whole', 'mart.bucket', 'mart.in_buckets', 'mart.first', 'mart.cut_otherwise'],
      same: [],
    },
    ['mart.with_own'],
  ],
  [
    'a whole table changed',
    { ranges },
    [
      'mart.hours 1',
      'mart.hours 2',
      'mart.whole',
      'mart.bucket',
      'mart.in_buckets 1',
      'mart.in_buckets 2',
      'mart.first',
      'mart.by_hours',
      'mart.with_own 1',
      'mart.with_own 2',
      'mart.cut_otherwise',
    ],
  ],
  [
    'no block changed',
    {
      ranges: [],
      staying: ['mart.hours', 'mart.whole', 'mart.bucket', 'mart.in_buckets', 'mart.first', 'mart.cut_otherwise'],
    },
    [],
  ],
  [
    'all hours of what was behind are others',
    {
      ranges,
      staying: ['mart.whole', 'mart.bucket', 'mart.in_buckets', 'mart.first'],
      late: ['mart.hours', 'mart.by_hours'],
    },
    ['mart.hours', 'mart.by_hours', 'mart.with_own 1', 'mart.with_own 2', 'mart.cut_otherwise'],
  ],
  [
    'all was built afresh',
    {},
    [
      'mart.hours',
      'mart.whole',
      'mart.bucket',
      'mart.in_buckets',
      'mart.first',
      'mart.by_hours',
      'mart.with_own',
      'mart.cut_otherwise',
    ],
  ],
])('%s', (_, of, expected) => {
  expect(changes(of)).toEqual(expected);
});

test('of a table by bucket every bucket that a changed hour touches is looked at, and all of one with levels', () => {
  const files = '{ chain: chain_id, time: bucket, order: [a] }';
  const levels = { ...model('mart.levels', 'table by bucket', [], files), columns: { metric: 'Its name.' } };
  const stretch = { chain: '1', from: jan5, until: jan5 + 3600 };
  const built = { models: [model('mart.own', 'table by bucket', [], files), levels], ranges, stretches: [stretch] };
  const noted = changesOf({ ...built, late: [], staying: new Set(), isSame: () => true });
  expect(noted).toEqual([
    { relation: 'mart.own', range: { chain: '1', from: '2026-01-01 00:00:00', until: '2026-02-01 00:00:00' } },
    { relation: 'mart.levels' },
  ]);
});

test('a table that is built again and holds what it held leaves a view by hours to its hours', {
  tags: 'long',
}, async () => {
  const { warehouse, dispose } = await temporaryWarehouse();
  onTestFinished(dispose);
  const own = (name: string, header: string, sql: string) =>
    parseModel(`mart.${name}`, `mart/${name}.sql`, `/*\ndescription: what a test needs\n${header}\n*/\n${sql}`);
  const all = [
    ...(await modelsUnder([])),
    own('own_chains', 'kept: table', 'SELECT DISTINCT chain_id FROM mart.fct_block'),
    own('own_heights', 'kept: table', 'SELECT max("number") AS highest FROM mart.fct_block'),
    own(
      'own_view',
      `kept: view by block_time\nfiles: ${byTime.replace('[a]', '[number]')}`,
      'SELECT f.* FROM mart.fct_block AS f JOIN mart.own_chains USING (chain_id)',
    ),
  ];
  const blocks = madeUpChain(5, 21);
  await loadMadeUp(warehouse, '1001', blocks.slice(0, 20));
  await buildModels(warehouse, { models: all });
  await warehouse.run("INSERT INTO firn.publish_state VALUES (1, 'r', 0)");
  await loadMadeUp(warehouse, '1001', blocks.slice(20));
  await buildModels(warehouse, { models: all });
  const noted = await warehouse.query<{ relation: string; all: boolean }>(
    `SELECT DISTINCT relation, chain_id IS NULL AS "all" FROM firn.rebuilt WHERE relation LIKE 'mart.own_%' ORDER BY relation`,
  );
  expect(noted).toEqual([
    { relation: 'mart.own_heights', all: true },
    { relation: 'mart.own_view', all: false },
  ]);
});

test.each([
  ['refs.prices', "CREATE OR REPLACE TABLE refs.prices AS SELECT '2' AS price"],
  ['firn.address_label', "INSERT INTO firn.address_label BY NAME SELECT 'b' AS address, 'two' AS label"],
])('what changes in %s without a load or block is looked at in a view by hours that reads it', async (read, change) => {
  const { warehouse, dispose } = await temporaryWarehouse();
  onTestFinished(dispose);
  await warehouse.run("CREATE TABLE refs.prices AS SELECT '1' AS price");
  const view = parseModel(
    'mart.own_view',
    'mart/own_view.sql',
    `/*\ndescription: what a test needs\nkept: view by block_time\nfiles: ${byTime.replace('[a]', '[number]')}\n*/\nSELECT * FROM mart.fct_block, ${read}`,
  );
  const all = [...(await modelsUnder(['mart.fct_block'])), view];
  await buildModels(warehouse, { models: all });
  await warehouse.run("INSERT INTO firn.publish_state VALUES (1, 'r', 0)");
  const noted = async () => {
    await buildModels(warehouse, { models: all });
    return warehouse.query('SELECT relation, chain_id FROM firn.rebuilt');
  };
  expect(await noted()).toEqual([]);
  await warehouse.run(change);
  expect(await noted()).toEqual([{ relation: 'mart.own_view', chain_id: null }]);
});
