import { append } from '../../append.ts';
import { once } from '../../once.ts';
import type { PrimaryHistory } from './primaryHistory.ts';
import type { PrimaryChain, PrimaryTx, Utxo } from './primaryTypes.ts';

export interface PrimaryIndex {
  /** Transactions of a chain that touch an address (bare, or an EVM account in atomic ones), ascending. */
  readonly transactions: ReadonlyMap<string, readonly PrimaryTx[]>;
  /** Outputs that a chain created or that can be spent on it, by owner. */
  readonly utxos: ReadonlyMap<string, readonly Utxo[]>;
}

const indexes = once((history: PrimaryHistory) => ({
  P: indexOf(history, 'P'),
  X: indexOf(history, 'X'),
  C: indexOf(history, 'C'),
}));

/** The index of a chain, made once. */
export const primaryIndexOf = (history: PrimaryHistory, chain: PrimaryChain): PrimaryIndex => indexes(history)[chain];

function indexOf(history: PrimaryHistory, chain: PrimaryChain): PrimaryIndex {
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
  return { transactions, utxos };
}
