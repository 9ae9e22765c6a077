import { expect, test } from 'vitest';
import { inputsOf, stayingTables } from '../../../src/transform/changes/inputsOf.ts';
import type { KeptAs } from '../../../src/transform/models/model.ts';

const view: KeptAs = { kind: 'view' };
const table: KeptAs = { kind: 'table' };
const models = [
  { name: 'staging.Block', keptAs: view, references: ['raw.blocks', 'firn.chain'] },
  { name: 'mart.block', keptAs: { kind: 'hours', column: 'at' } as KeptAs, references: ['staging.block'] },
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
