import type { Ledger } from '../../types.ts';
import type { EvmHistory } from './evmHistory.ts';

interface Blockchains {
  readonly result?: {
    readonly blockchains?: readonly { readonly id: string; readonly name: string; readonly vmID: string }[];
  };
}

/** Name and VM of a blockchain as the recorded platform.getBlockchains tells them. */
export function blockchainOf(
  ledger: Ledger,
  blockchainId: string,
): { readonly name: string; readonly vmID: string } | undefined {
  for (const answer of ledger.snapshots) {
    if (answer.method !== 'platform.getBlockchains' || answer.status !== 200) continue;
    const { result } = JSON.parse(answer.body) as Blockchains;
    const found = result?.blockchains?.find(({ id }) => id === blockchainId);
    if (found !== undefined) return found;
  }
  return undefined;
}

export const chainNameOf = (ledger: Ledger, chain: EvmHistory): string =>
  blockchainOf(ledger, chain.blockchainId)?.name ?? (chain.name === 'C' ? 'C-Chain' : chain.name);
