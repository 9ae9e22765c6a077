import { expect, test } from 'vitest';
import { catalogue, sources } from '../../pipelines/index.ts';
import { identify } from '../../src/core/stream/network.ts';
import { configuredKeys, planStreams } from '../../src/run/planStreams.ts';
import { settingsSchema } from '../../src/run/settings.ts';

test('the keys of a stream are known only where all of its partitions can be listed', () => {
  const streams = {
    'node/evm_blocks': { blockchainIds: ['C', 'L1'] },
    'node/evm_chain_config': {},
    'data/utxos': { addresses: ['fuji1mistyped'], blockchainIds: ['p-chain'] },
    'metrics/chain_metrics': { chainIds: ['1', 'C', '43113', '2', '1'], metrics: ['txCount'], timeIntervals: ['day'] },
  };
  const urls = Object.fromEntries(sources.map(({ name }) => [name, { url: 'http://127.0.0.1:1' }]));
  const settings = settingsSchema(sources).parse({ sources: urls, pipelines: { main: { streams } } });
  const c = { chainId: '43113', name: 'C', blockchainId: null, alias: 'C', vm: 'evm', genesisHash: null } as const;
  const keys = configuredKeys(planStreams(settings, catalogue), { ...identify(5), chains: [c] });
  const metric = (chain: string) => `chain_id=${chain},metric=txCount,time_interval=day`;
  expect(Object.fromEntries(keys)).toEqual({
    'node/evm_blocks': null,
    'node/evm_chain_config': ['chain_id=43113'],
    'data/utxos': null,
    'metrics/chain_metrics': [metric('1'), metric('43113'), metric('2')],
  });
});
