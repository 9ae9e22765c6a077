import { expect, test } from 'vitest';
import type { PlacedModel } from '../../../src/transform/models/model.ts';
import { parseModel } from '../../../src/transform/models/parseModel.ts';
import { rawNeededWhole } from '../../../src/transform/models/rawNeededWhole.ts';
import { readModels } from '../../../src/transform/models/readModels.ts';

const model = (name: string, header: string, ...references: string[]): PlacedModel => ({
  ...parseModel(name, `${name}.sql`, `/*\ndescription: what a test needs\n${header}\n*/\nSELECT 1`),
  references,
  hash: '',
  problem: null,
});

test.each([
  ['a view shows what is there', 'kept: view', []],
  ['a view that shows all of it keeps it', 'kept: view\nwhole: true', ['raw.t']],
  ['a table is rebuilt from it', 'kept: table', ['raw.t']],
  ['hours have taken what they need', 'kept: table by block_time', []],
  ['buckets have too', 'kept: table by bucket', []],
  ['so have first sights', 'kept: earliest by address', []],
])('%s', (_, header, needed) => {
  expect([...rawNeededWhole([model('mart.dim_x', header, 'raw.t')])]).toEqual(needed);
});

test('needed is what lies under a view too, and not what a table below has taken', () => {
  const models = [
    model('mart.x', 'whole: true', 'Staging.y', 'mart.hours'),
    model('staging.y', 'kept: view', 'raw.under'),
    model('mart.hours', 'kept: table by block_time', 'raw.taken'),
  ];
  expect([...rawNeededWhole(models)]).toEqual(['raw.under']);
});

test('dimensions show all that was ever read', async () => {
  const dimensions = (await readModels()).filter(({ name }) => name.startsWith('mart.dim_'));
  expect(dimensions.length).toBeGreaterThan(5);
  expect(dimensions.filter(({ isWhole }) => !isWhole)).toEqual([]);
});
