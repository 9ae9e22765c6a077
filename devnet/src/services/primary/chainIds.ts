import type { Ledger } from '../../types.ts';
import type { PrimaryChain } from './primaryTypes.ts';

/** Blockchain id of a chain of the Primary Network. */
export function blockchainIdOf(ledger: Ledger, chain: PrimaryChain): string {
  if (chain === 'P') return ledger.p.blockchainId;
  return chain === 'X' ? ledger.x.blockchainId : ledger.c.blockchainId;
}

/** What the hosted service takes on every network: three aliases, and the X- and C-Chains of mainnet and of the test network. */
const aliases: Readonly<Record<string, PrimaryChain>> = {
  'p-chain': 'P',
  'x-chain': 'X',
  'c-chain': 'C',
  '2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM': 'X',
  '2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm': 'X',
  '2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5': 'C',
  yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp: 'C',
};

/** The chain of a blockchain id or alias, or null. */
export function primaryChainOf(ledger: Ledger, id: string): PrimaryChain | null {
  const chains: readonly PrimaryChain[] = ['P', 'X', 'C'];
  return aliases[id] ?? chains.find((chain) => blockchainIdOf(ledger, chain) === id) ?? null;
}
