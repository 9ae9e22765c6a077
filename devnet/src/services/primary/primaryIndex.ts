import type { PrimaryHistory } from './primaryHistory.ts';
import type { PrimaryChain, PrimaryTx, Utxo } from './primaryTypes.ts';

export interface PrimaryIndex {
  /** Transactions of a chain that touch an address (bare, or an EVM account in atomic ones), ascending. */
  readonly transactions: ReadonlyMap<string, readonly PrimaryTx[]>;
  /** Outputs that a chain created or that can be spent on it, by owner. */
  readonly utxos: ReadonlyMap<string, readonly Utxo[]>;
}

const indexes = new WeakMap<PrimaryHistory, Map<PrimaryChain, PrimaryIndex>>();

/** The index of a chain, made once. */
export function primaryIndexOf(history: PrimaryHistory, chain: PrimaryChain): PrimaryIndex {
  const ofHistory = indexes.get(history) ?? new Map<PrimaryChain, PrimaryIndex>();
  indexes.set(history, ofHistory);
  const known = ofHistory.get(chain);
  if (known !== undefined) return known;
  const transactions = new Map<string, PrimaryTx[]>();
  for (const tx of history.transactions[chain]) {
    const touched = [
      ...[...tx.consumed, ...tx.emitted].flatMap(({ addresses }) => addresses),
      ...[...tx.evmInputs, ...tx.evmOutputs].map(({ address }) => address),
      ...(tx.staking?.rewardAddresses ?? []),
    ];
    for (const address of new Set(touched)) append(transactions, address, tx);
  }
  const utxos = new Map<string, Utxo[]>();
  for (const utxo of history.utxos) {
    if (utxo.createdOn !== chain && utxo.consumableOn !== chain) continue;
    for (const address of new Set(utxo.addresses)) append(utxos, address, utxo);
  }
  const index = { transactions, utxos };
  ofHistory.set(chain, index);
  return index;
}

function append<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
