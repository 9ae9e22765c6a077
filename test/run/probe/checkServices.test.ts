import { expect, test } from 'vitest';
import { catalogue } from '../../../pipelines/index.ts';
import type { Stream } from '../../../src/core/stream/stream.ts';
import { checkServices } from '../../../src/run/probe/checkServices.ts';

const metrics = catalogue.find(({ id }) => id === 'metrics/chain_metrics') as Stream;
const asking = (...chainIds: string[]) => [{ stream: metrics, parameters: { chainIds } }];
const nodeOf = (networkId: number | null) => ({
  offers: { node: { state: 'ok' as const, networkId, chains: [], listed: [], findings: [] } },
});

test.each<[string, number | null, string | undefined, string[], RegExp | null]>([
  ['a node that does not say', null, 'mainnet', ['43114'], null],
  ['what belongs together', 1, 'mainnet', ['43114', '99001'], null],
  ['a network of its own that is asked for as fuji', 12345, 'fuji', ['43112'], null],
  [
    'mainnet assumed beside a local node',
    12345,
    'mainnet',
    ['43114'],
    /local \(network 12345\), but metrics.*43114, the C-Chain of mainnet\. Name/,
  ],
  [
    'a service of mainnet beside a node of fuji',
    5,
    'mainnet',
    [],
    /fuji \(network 5\), but the data service is asked for mainnet\./,
  ],
  ['both', 5, 'mainnet', ['43114'], /43114, the C-Chain of mainnet; the data service is asked for mainnet\./],
])('%s', (_, networkId, named, chainIds, sentence) => {
  const checks = checkServices(named, asking(...chainIds), nodeOf(networkId));
  expect(checks).toEqual(
    sentence === null ? [] : [expect.objectContaining({ name: 'services', state: 'warn', exitCode: 0 })],
  );
  if (sentence) expect(checks[0]?.sentence).toMatch(sentence);
});
