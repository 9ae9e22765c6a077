import { expect, test } from 'vitest';
import {
  betterOf,
  type ChainInputs,
  inputsOfContainers,
  inputsOfDataService,
  isAllowed,
} from '../../../src/run/probe/chainInputs.ts';
import { metricsOf } from '../../../src/transform/models/metricsOf.ts';
import { readModels } from '../../../src/transform/models/readModels.ts';

const models = await readModels();
const metrics = metricsOf(models);
const all = metrics.map(({ name }) => name).sort();
const lacking = (given: ChainInputs) =>
  metrics
    .filter((metric) => !isAllowed(metric, given))
    .map(({ name }) => name)
    .sort();

test.each(metrics.map(({ name, needs }) => [name, needs] as const))(
  '%s is covered by what its header says',
  (metric, { input: needed, sinceGenesis }) => {
    const { sql = '' } = models.find(({ name }) => name === `mart.metric_${metric}`) ?? {};
    const used = [...sql.matchAll(/\b(blocks|gas|receipts|traces)_covered(_since_genesis)?\b/g)];
    const input = needed === 'blocks' ? ['blocks', 'gas'] : [needed];
    const proofs = used.map(([, column = '', since]) => [input.includes(column), since !== undefined]);
    expect(proofs).toContainEqual([true, sinceGenesis]);
    expect(proofs.filter(([, since]) => since !== sinceGenesis)).toEqual([]);
  },
);

const traced = ['contracts', 'cumulativeContracts', 'cumulativeDeployers', 'deployers'];

test.each<[string, ChainInputs, string[]]>([
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
    inputsOfContainers,
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
  ['the data service', inputsOfDataService, all],
])('%s: what cannot be computed', (_, given, names) => {
  expect(lacking(given)).toEqual(names);
});

test('two sources give the better of both', () => {
  const recent: ChainInputs = { blocks: 'recent', receipts: 'recent', traces: 'none' };
  expect(betterOf(recent, inputsOfContainers)).toEqual({ blocks: 'genesis', receipts: 'recent', traces: 'none' });
});
