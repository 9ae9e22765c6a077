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

const indexes = new WeakMap<EvmHistory, AddressIndex>();

/** The index of a chain, made once. Addresses are lower-case. */
export function addressIndexOf(history: EvmHistory): AddressIndex {
  const known = indexes.get(history);
  if (known !== undefined) return known;
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
      const ofToken = byToken.get(transfer.token) ?? [];
      byToken.set(transfer.token, ofToken);
      ofToken.push(transfer);
    }
    for (const internal of internalsIn(transaction)) {
      for (const entry of new Set([touch(internal.frame.from), touch(internal.frame.to)]))
        entry?.internals.push(internal);
    }
  }
  const index = { byAddress, byToken };
  indexes.set(history, index);
  return index;
}
