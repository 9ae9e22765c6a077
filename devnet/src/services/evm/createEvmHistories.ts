import type { EvmChain, Ledger } from '../../types.ts';
import type { EvmHistory } from './evmHistory.ts';
import { readEvmHistory } from './readEvmHistory.ts';

export interface EvmHistories {
  /** Every EVM chain that exists at that moment, the C-Chain first. */
  existing(asOf: number): readonly EvmHistory[];
  /** The chain of this EVM chain id or blockchain id, if it exists at that moment. */
  find(id: string, asOf: number): EvmHistory | undefined;
}

/** Chains parsed so far: a ledger never changes, so all services over it share them. */
const parsed = new WeakMap<EvmChain, EvmHistory>();

/** The EVM chains of the ledger, each parsed when first asked for. A chain exists from the moment of its genesis block. */
export function createEvmHistories(ledger: Ledger): EvmHistories {
  const chains = [ledger.c, ...ledger.l1s].filter((chain) => chain.blocks.length > 0);
  const exists = (chain: EvmChain, asOf: number): boolean => (chain.blocks[0]?.visibleAt ?? Infinity) <= asOf;

  function history(chain: EvmChain): EvmHistory {
    const known = parsed.get(chain);
    if (known !== undefined) return known;
    const atomic = new Map<number, number>();
    if (chain === ledger.c) {
      for (const { number } of ledger.atomicTxs.values()) atomic.set(number, (atomic.get(number) ?? 0) + 1);
    }
    const read = readEvmHistory(chain, atomic);
    parsed.set(chain, read);
    return read;
  }

  return {
    existing: (asOf) => chains.filter((chain) => exists(chain, asOf)).map(history),
    find(id, asOf) {
      const chain = chains.find((one) => String(one.evmChainId) === id || one.blockchainId === id);
      return chain === undefined || !exists(chain, asOf) ? undefined : history(chain);
    },
  };
}
