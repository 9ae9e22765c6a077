import { append } from '../../append.ts';
import { once } from '../../once.ts';
import type { EvmHistory, EvmTransaction } from './evmHistory.ts';
import { type InternalTransaction, internalsIn } from './internalsIn.ts';
import { type TokenTransfer, transfersIn } from './transfersIn.ts';

/** Everything on a chain that touches an address, ascending. */
export interface AddressEntry {
  readonly transactions: EvmTransaction[];
  readonly erc721Transfers: TokenTransfer[];
  readonly internals: InternalTransaction[];
}

export interface AddressIndex {
  readonly byAddress: ReadonlyMap<string, AddressEntry>;
  /** Transfers of a token, by its contract, ascending. */
  readonly byToken: ReadonlyMap<string, readonly TokenTransfer[]>;
}

/** The index of a chain, made once. Addresses are lower-case. */
export const addressIndexOf = once((history: EvmHistory): AddressIndex => {
  const byAddress = new Map<string, AddressEntry>();
  const byToken = new Map<string, TokenTransfer[]>();
  for (const transaction of history.transactions) {
    const touch = (address: string | null): AddressEntry | null => {
      if (address === null) return null;
      const entry = byAddress.get(address) ?? { transactions: [], erc721Transfers: [], internals: [] };
      byAddress.set(address, entry);
      if (entry.transactions.at(-1) !== transaction) entry.transactions.push(transaction);
      return entry;
    };
    for (const address of [transaction.from, transaction.to, transaction.contract]) touch(address);
    for (const transfer of transfersIn(transaction)) {
      const entries = new Set([touch(transfer.from), touch(transfer.to)]);
      if (transfer.standard === 'ERC-721') for (const entry of entries) entry?.erc721Transfers.push(transfer);
      append(byToken, transfer.token, transfer);
    }
    for (const internal of internalsIn(transaction)) {
      for (const entry of new Set([touch(internal.frame.from), touch(internal.frame.to)]))
        entry?.internals.push(internal);
    }
  }
  return { byAddress, byToken };
});
