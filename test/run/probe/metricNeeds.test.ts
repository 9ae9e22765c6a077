import { expect, test } from 'vitest';
import { dayOnly, multiInterval } from '../../../pipelines/metrics-api/chainMetrics.ts';
import {
  containersGive,
  dataServiceGives,
  type Given,
  isAllowed,
  metricNeeds,
  together,
} from '../../../src/run/probe/metricNeeds.ts';
import { readModels } from '../../../src/transform/readModels.ts';

const models = await readModels();
const needs = metricNeeds(models);
const all = [...multiInterval, ...dayOnly].sort();
const lacking = (given: Given) =>
  needs
    .filter((need) => !isAllowed(need, given))
    .map(({ metric }) => metric)
    .sort();

test('every metric says what it needs', () => {
  expect(needs.map(({ metric }) => metric).sort()).toEqual(all);
});

test.each(needs.map((need) => [need.metric, need] as const))(
  '%s is covered by what its header says',
  (metric, need) => {
    const { sql = '' } = models.find(({ name }) => name === `mart.metric_${metric}`) ?? {};
    const used = [...sql.matchAll(/\b(blocks|gas|receipts|traces)_covered(_since_genesis)?\b/g)];
    const input = need.input === 'blocks' ? ['blocks', 'gas'] : [need.input];
    const proofs = used.map(([, column = '', since]) => [input.includes(column), since !== undefined]);
    expect(proofs).toContainEqual([true, need.sinceGenesis]);
    expect(proofs.filter(([, since]) => since !== need.sinceGenesis)).toEqual([]);
  },
);

const traced = ['contracts', 'cumulativeContracts', 'cumulativeDeployers', 'deployers'];

test.each<[string, Given, string[]]>([
  ['the whole history', { blocks: 'genesis', receipts: 'genesis', traces: 'genesis' }, []],
  ['no traces', { blocks: 'genesis', receipts: 'genesis', traces: 'none' }, traced],
  ['traces of new blocks', { blocks: 'genesis', receipts: 'genesis', traces: 'recent' }, traced.slice(1, 3)],
  [
    'new blocks',
    { blocks: 'recent', receipts: 'recent', traces: 'recent' },
    all.filter((metric) => metric.startsWith('cumulative')),
  ],
  [
    'containers',
    containersGive,
    [
      ...traced,
      'activeAddresses',
      'activeSenders',
      'avgGasPrice',
      'cumulativeAddresses',
      'feesPaid',
      'maxGasPrice',
    ].sort(),
  ],
  ['the data service', dataServiceGives, all],
])('%s: what cannot be computed', (_, given, names) => {
  expect(lacking(given)).toEqual(names);
});

test('two sources give the better of both', () => {
  const recent: Given = { blocks: 'recent', receipts: 'recent', traces: 'none' };
  expect(together(recent, containersGive)).toEqual({ blocks: 'genesis', receipts: 'recent', traces: 'none' });
});
