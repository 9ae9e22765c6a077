import { expect, test } from 'vitest';
import { evmChains, rpcPartitions } from '../../../pipelines/node/evmChains.ts';
import type { ChainFacts } from '../../../src/core/stream/network.ts';
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

test('two names of a chain are one partition, at the path that the node has for it', () => {
  expect(rpcPartitions(known, ['C', 'id1'])).toEqual([
    { values: { chain_id: '43112' }, settings: { path: '/ext/bc/C/rpc' } },
  ]);
});

test('an L1 that is not known by its EVM chain id yet is to be named by its blockchain id', () => {
  expect(() => evmChains(known, ['99001'])).toThrow(
    'The node knows no EVM chain "99001". It has: C. An L1 is named by its blockchain id first.',
  );
});

test('a blockchain id that the node does not serve says what a node needs to run it', () => {
  expect(() => evmChains(known, ['2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM'])).toThrow(
    /knows no EVM chain "2oYMBNV4\w+"\. It has: C\. It runs .*--track-subnets.* plugin/,
  );
});

test('the C-Chain of a node without it says what kind of node that is', () => {
  const chains: ChainFacts[] = [
    { ...c, chainId: 'id0', name: 'P-Chain', blockchainId: 'id0', alias: 'P', vm: 'platform' },
  ];
  expect(() => evmChains({ ...network, chains }, ['C'])).toThrow(
    'The node knows no EVM chain "C". It has: none. With --partial-sync-primary-network a node follows the P-Chain alone.',
  );
  expect(() => evmChains({ ...network, chains }, ['P'])).toThrow('The node knows no EVM chain "P". It has: none.');
});

test('a node that has nothing at any path says that its URL is wrong', () => {
  expect(() => evmChains({ ...network, chains: [] }, ['C'])).toThrow(
    'The node knows no EVM chain "C", nor anything else that was asked: correct its URL. sources.node.url names the server alone;',
  );
});
