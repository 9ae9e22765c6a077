import { expect, test } from 'vitest';
import { evmChains } from '../../../pipelines/node/evmChains.ts';
import type { ChainFacts } from '../../../src/core/network.ts';
import { network } from '../../transform/loadLedger.ts';

const c: ChainFacts = {
  chainId: '43112',
  name: 'C-Chain',
  blockchainId: 'id1',
  alias: 'C',
  vm: 'evm',
  genesisHash: null,
};
const known = { ...network, chains: [c] };

test.each(['C', 'c', 'id1', '43112'])('%s names a chain that is known', (name) => {
  expect(evmChains(known, [name])).toEqual([c]);
});

test('an L1 that is not known by its EVM chain id yet is to be named by its blockchain id', () => {
  expect(() => evmChains(known, ['99001'])).toThrow(
    'The node knows no EVM chain "99001". It has: C. An L1 is named by its blockchain id first.',
  );
});
