import { expect, test } from 'vitest';
import { identify, isPublic, networkText } from '../../../src/core/stream/network.ts';

const cChain = (chainId: string) => [{ chainId }];

test.each([
  ['an id that is known', [1], 'mainnet', 'avax'],
  ['another', [5], 'fuji', 'fuji'],
  ['a network of one machine', [12345], 'local', 'local'],
  ['a network of its own', [99], 'network-99', 'custom'],
  ['what the services call a network of its own', [99, 'fuji'], 'fuji', 'custom'],
  ['a name alone', [null, 'fuji'], 'fuji', 'fuji'],
  ['the chain id of a C-Chain', [null, undefined, cChain('43113')], 'fuji', 'fuji'],
  ['a name before a chain id', [null, 'mainnet', cChain('43113')], 'mainnet', 'avax'],
  ['an id before a chain id', [12345, undefined, cChain('43114')], 'local', 'local'],
  ['a chain that is nobody’s', [null, undefined, cChain('7')], 'unknown', 'custom'],
  ['nothing', [null], 'unknown', 'custom'],
] as const)('%s', (_, [networkId, named, chains], network, hrp) => {
  expect(identify(networkId, named, chains)).toEqual({ networkId, network, hrp });
});

test.each([
  ['fuji', 5, 'fuji (network 5)'],
  ['local', 12345, 'local (network 12345)'],
  ['fuji', 12345, 'local (network 12345), served as fuji'],
  ['network-99', 99, 'network 99'],
  ['fuji', 99, 'network 99, served as fuji'],
  ['fuji', null, 'fuji'],
  ['unknown', null, 'an unknown network'],
])('%s with the id %s is called %s', (name, id, text) => {
  expect(networkText(name, id)).toBe(text);
});

test('two networks are public, by their names', () => {
  expect(['mainnet', 'fuji', 'local', 'network-99'].filter(isPublic)).toEqual(['mainnet', 'fuji']);
});
