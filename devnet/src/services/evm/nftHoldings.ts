import { zeroAddress } from '../../codec/checksumAddress.ts';
import type { Ledger } from '../../types.ts';
import { addressIndexOf } from './addressIndex.ts';
import { contractFacts, knowsContracts } from './contractFacts.ts';
import type { EvmHistory } from './evmHistory.ts';
import type { TokenTransfer } from './transfersIn.ts';

/** Who owns a token at a moment. */
export interface NftHolding {
  readonly contract: string;
  readonly standard: 'ERC-721' | 'ERC-1155';
  readonly tokenId: bigint;
  readonly owner: string;
  /** 1 for ERC-721. */
  readonly balance: bigint;
}

const latest = new WeakMap<EvmHistory, { readonly visible: number; readonly holdings: readonly NftHolding[] }>();

/**
 * Every holding of a non-fungible or semi-fungible token, by contract and then token id, as the transfers so far leave them.
 * A contract counts as such a token if it says so, or, where the recording asked no contract anything, if it logs so.
 */
export function nftHoldings(ledger: Ledger, history: EvmHistory, asOf: number): readonly NftHolding[] {
  const visible = history.visibleTransactions(asOf);
  const known = latest.get(history);
  if (known?.visible === visible) return known.holdings;
  const holdings = [...addressIndexOf(history).byToken].flatMap(([contract, transfers]) => {
    const standard = standardOf(ledger, history, contract, transfers);
    if (standard === null) return [];
    const moved = transfers.filter((one) => one.transaction.ordinal < visible && one.standard === standard);
    return holdingsIn(contract, standard, moved);
  });
  holdings.sort(
    (a, b) => compare(a.contract, b.contract) || compare(a.tokenId, b.tokenId) || compare(a.owner, b.owner),
  );
  latest.set(history, { visible, holdings });
  return holdings;
}

const compare = <T extends string | bigint>(a: T, b: T): number => Number(a > b) - Number(a < b);

function standardOf(
  ledger: Ledger,
  history: EvmHistory,
  contract: string,
  transfers: readonly TokenTransfer[],
): NftHolding['standard'] | null {
  if (knowsContracts(ledger, history)) {
    const facts = contractFacts(ledger, history, contract);
    if (facts?.isErc721) return 'ERC-721';
    return facts?.isErc1155 ? 'ERC-1155' : null;
  }
  const standard = transfers[0]?.standard;
  return standard === undefined || standard === 'ERC-20' ? null : standard;
}

function holdingsIn(
  contract: string,
  standard: NftHolding['standard'],
  transfers: readonly TokenTransfer[],
): NftHolding[] {
  const balances = new Map<bigint, Map<string, bigint>>();
  for (const { tokenId, from, to, value } of transfers) {
    const owners = balances.get(tokenId) ?? new Map<string, bigint>();
    balances.set(tokenId, owners);
    if (standard === 'ERC-721') owners.clear();
    else if (from !== zeroAddress) owners.set(from, (owners.get(from) ?? 0n) - value);
    if (to !== zeroAddress) owners.set(to, (owners.get(to) ?? 0n) + value);
  }
  return [...balances].flatMap(([tokenId, owners]) =>
    [...owners]
      .filter(([, balance]) => balance > 0n)
      .map(([owner, balance]): NftHolding => ({ contract, standard, tokenId, owner, balance })),
  );
}
