import { expect, test } from 'vitest';
import { touchedScopes } from '../../../src/transform/builds/buildBuckets.ts';
import type { PlacedModel } from '../../../src/transform/models/model.ts';

const day = 86_400;
const stretch = (chain: string, from: number) => ({ chain, from: from * day, until: from * day + 60 });
const touched = {
  stretches: [stretch('1', 10), stretch('1', 20), stretch('2', 30)],
  cumulativeFrom: new Map([
    ['1', 10 * day],
    ['3', 5 * day],
  ]),
  levels: ['cumulativeTxCount'],
};

test.each<[string, readonly string[], string[]]>([
  [
    'metrics: of levels all that follows is replaced once, also of a chain of which nothing else changed',
    ['metric', 'bucket'],
    ['1 1970-01-11 1970-01-11', '1 1970-01-21 9999-12-31', '2 1970-01-31 9999-12-31', '3 9999-12-31 1970-01-06'],
  ],
  [
    'others: buckets alone',
    ['bucket'],
    ['1 1970-01-11 1970-01-11', '1 1970-01-21 9999-12-31', '2 1970-01-31 9999-12-31'],
  ],
])('scopes of a table of %s', (_, columns, expected) => {
  const model = { columns: Object.fromEntries(columns.map((name) => [name, {}])) } as PlacedModel;
  const scopes = touchedScopes(model, touched);
  const text = (moment: unknown) => String(moment).slice(0, 10);
  expect(
    scopes.map((scope) => `${scope['firn_chain']} ${text(scope['firn_day_from'])} ${text(scope['firn_series_from'])}`),
  ).toEqual(expected);
});
