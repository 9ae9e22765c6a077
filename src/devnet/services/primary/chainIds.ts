import type { Ledger } from '../../types.ts';
import type { PrimaryChain } from './primaryTypes.ts';

export const primarySubnet = '11111111111111111111111111111111LpoYY';

/** Blockchain id of a chain of the Primary Network. */
export function blockchainIdOf(ledger: Ledger, chain: PrimaryChain): string {
  if (chain === 'P') return ledger.p.blockchainId;
  return chain === 'X' ? ledger.x.blockchainId : ledger.c.blockchainId;
}

/** The chain of a blockchain id or alias, or null. */
export function primaryChainOf(ledger: Ledger, id: string): PrimaryChain | null {
  const aliases: Readonly<Record<string, PrimaryChain>> = { 'p-chain': 'P', 'x-chain': 'X', 'c-chain': 'C' };
  const chains: readonly PrimaryChain[] = ['P', 'X', 'C'];
  return aliases[id] ?? chains.find((chain) => blockchainIdOf(ledger, chain) === id) ?? null;
}
