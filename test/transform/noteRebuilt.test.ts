import { expect, test } from 'vitest';
import type { PlacedModel } from '../../src/transform/model.ts';
import { changesOf } from '../../src/transform/noteRebuilt.ts';
import { parseModel } from '../../src/transform/parseModel.ts';

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
  model('mart.hours', 'table by block_time', ['raw.node_evm_blocks'], byTime),
  model('mart.whole', 'table', ['raw.data_nft_tokens']),
  model('mart.bucket', 'table by bucket', ['mart.hours']),
  model('mart.first', 'earliest by chain_id', ['mart.hours']),
  model('mart.plain', 'view', ['mart.hours']),
  model('staging.between', 'view', ['mart.whole'], 'null'),
  model('mart.by_hours', 'view by block_time', ['raw.node_evm_logs', 'mart.hours', 'staging.between'], byTime),
  model('mart.cut_otherwise', 'table by block_time', [], '{ chain: chain_id, time: other, order: [a] }'),
];
const changes = (of: { ranges?: typeof ranges; staying?: string[] }) =>
  changesOf({ models, ranges: of.ranges, staying: new Set(of.staying) }).map(({ relation, range }) =>
    range ? `${relation} ${range.chain}` : relation,
  );

test.each<[string, { ranges?: typeof ranges; staying?: string[] }, string[]]>([
  [
    'of what is kept by hours only these, of a view by hours too, unless a whole table beneath it changed',
    { ranges, staying: ['mart.whole'] },
    [
      'mart.hours 1',
      'mart.hours 2',
      'mart.bucket',
      'mart.first',
      'mart.by_hours 1',
      'mart.by_hours 2',
      'mart.cut_otherwise',
    ],
  ],
  [
    'a whole table changed',
    { ranges },
    ['mart.hours 1', 'mart.hours 2', 'mart.whole', 'mart.bucket', 'mart.first', 'mart.by_hours', 'mart.cut_otherwise'],
  ],
  [
    'no block changed',
    { ranges: [], staying: ['mart.hours', 'mart.whole', 'mart.bucket', 'mart.first', 'mart.cut_otherwise'] },
    [],
  ],
  [
    'all was built afresh',
    {},
    ['mart.hours', 'mart.whole', 'mart.bucket', 'mart.first', 'mart.by_hours', 'mart.cut_otherwise'],
  ],
])('%s', (_, of, expected) => {
  expect(changes(of)).toEqual(expected);
});
