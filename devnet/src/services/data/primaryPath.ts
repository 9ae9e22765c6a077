import { addressBytes, bareAddress } from '../../codec/primaryAddress.ts';
import { badRequest } from '../../problem.ts';
import { blockchainIdOf, primaryChainOf } from '../primary/chainIds.ts';
import type { PrimaryChain } from '../primary/primaryTypes.ts';
import type { ServiceContext } from '../serviceContext.ts';
import { networks } from './pathValues.ts';

const names = { P: 'p-chain', X: 'x-chain', C: 'c-chain' } as const;

/** Network and chain of a Primary Network path. The ledger is the test network; mainnet exists and is empty. */
export interface PrimaryPath {
  readonly chain: PrimaryChain;
  readonly isMainnet: boolean;
  readonly chainInfo: { readonly chainName: string; readonly network: string };
}

/** Reads the path of `/v1/networks/{network}/blockchains/{blockchainId}/…`. Throws a 400; `only` limits the chain. */
export function primaryPath(
  context: ServiceContext,
  path: { readonly network: string; readonly blockchainId: string },
  only?: PrimaryChain,
): PrimaryPath {
  const isMainnet = networkIn(path.network);
  const chain = primaryChainOf(context.ledger, path.blockchainId);
  if (chain === null || (only !== undefined && chain !== only)) {
    const chains: readonly PrimaryChain[] = only === undefined ? ['P', 'X', 'C'] : [only];
    const words = chains.flatMap((one) => [blockchainIdOf(context.ledger, one), names[one]]);
    throw badRequest(`blockchainId must be one of the following values: ${words.join(', ')}`);
  }
  return { chain, isMainnet, chainInfo: { chainName: names[chain], network: isMainnet ? 'mainnet' : 'fuji' } };
}

/** Whether the network of a path is mainnet. Throws a 400 on an unknown one. */
export function networkIn(network: string): boolean {
  if (!networks.some((one) => one === network))
    throw badRequest(`network must be one of the following values: ${networks.join(', ')}`);
  return network === 'mainnet';
}

/** Addresses as answers write them: bare, EVM addresses in lower case. Throws a 400 on anything else, and on more than `most`. */
export function primaryAddresses(given: readonly string[], most: number, name = 'addresses'): string[] {
  if (given.length > most) throw badRequest(`${name} must contain no more than ${most} elements`);
  return given.map((text) => {
    if (/^0x[0-9a-fA-F]{40}$/.test(text)) return text.toLowerCase();
    if (addressBytes(text) === null) throw badRequest(`each value in ${name} must be a valid address: ${text}`);
    return bareAddress(text).toLowerCase();
  });
}
