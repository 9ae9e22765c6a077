import { expect, test } from 'vitest';
import { inputsOf, stayingTables, toldModels } from '../../../src/transform/changes/inputsOf.ts';
import type { KeptAs } from '../../../src/transform/models/model.ts';

const view: KeptAs = { kind: 'view' };
const table: KeptAs = { kind: 'table' };
const models = [
  { name: 'staging.Block', keptAs: view, references: ['raw.blocks', 'firn.chain'] },
  { name: 'mart.block', keptAs: { kind: 'hours', column: 'at' } as KeptAs, references: ['staging.Block'] },
  { name: 'mart.by_day', keptAs: table, references: ['mart.block', 'raw.days'] },
  { name: 'staging.output', keptAs: view, references: ['raw.Outputs', 'staging.block'] },
  { name: 'mart.Output', keptAs: table, references: ['staging.output'] },
  { name: 'mart.share', keptAs: table, references: ['mart.output'] },
  { name: 'mart.constant', keptAs: table, references: [] },
];

test('what a model reads lies beneath its views', () => {
  expect(Object.fromEntries([...inputsOf(models)].map(([name, inputs]) => [name, [...inputs]]))).toEqual({
    'staging.Block': ['raw.blocks', 'firn.chain'],
    'mart.block': ['raw.blocks', 'firn.chain'],
    'mart.by_day': ['mart.block', 'raw.days'],
    'staging.output': ['raw.outputs', 'raw.blocks', 'firn.chain'],
    'mart.Output': ['raw.outputs', 'raw.blocks', 'firn.chain'],
    'mart.share': ['mart.output'],
    'mart.constant': [],
  });
});

test.each<[string, boolean, readonly string[], readonly string[]]>([
  ['nothing', false, [], ['mart.block', 'mart.by_day', 'mart.output', 'mart.share', 'mart.constant']],
  ['blocks alone', true, [], ['mart.output', 'mart.share', 'mart.constant']],
  ['one of its relations', false, ['raw.days'], ['mart.block', 'mart.output', 'mart.share', 'mart.constant']],
  [
    'what lies beneath a view of a table that it reads',
    false,
    ['firn.chain'],
    ['mart.block', 'mart.by_day', 'mart.constant'],
  ],
])('tables stay as they are where nothing beneath them changed: %s', (_, hasBlocks, changed, staying) => {
  expect([...stayingTables(models, hasBlocks, (relation) => !changed.includes(relation))]).toEqual(staying);
});

test.each<[string, readonly string[], readonly string[]]>([
  ['nothing but rows that were added', ['raw.outputs', 'mart.output'], ['mart.tells', 'mart.compares']],
  ['a table that one compares with what it held', ['raw.outputs'], ['mart.compares']],
  ['what none compares', ['mart.output'], []],
])('headers tell all that may have changed where beneath them there is %s', (_, grown, told) => {
  const keptAs = (sql: string): KeptAs => ({ kind: 'table', changed: { id: 'SELECT id FROM raw.outputs', day: sql } });
  const references = ['mart.output', 'raw.outputs'];
  const own = [
    { name: 'mart.tells', keptAs: keptAs('SELECT day FROM mart.output'), references },
    { name: 'mart.compares', keptAs: keptAs('FROM mart.output EXCEPT FROM temp.before_output'), references },
    { name: 'mart.silent', keptAs: table, references },
  ];
  expect(toldModels(own, (relation) => grown.includes(relation)).map(({ name }) => name)).toEqual(told);
});
