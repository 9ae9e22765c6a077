import { once } from '../../once.ts';
import type { PrimaryHistory } from './primaryHistory.ts';
import type { OutputKind, PrimaryTx } from './primaryTypes.ts';

interface Asset {
  readonly name: string;
  readonly symbol: string;
  readonly denomination: number;
}

/** Name and symbol of an asset: AVAX, or what the transaction that created it says. */
const assetsOf = once((history: PrimaryHistory): ReadonlyMap<string, Asset> => {
  const created = history.transactions.X.filter(({ type }) => type === 'CreateAssetTx').map(
    ({ id, body }): [string, Asset] => [
      id,
      { name: body.name ?? '', symbol: body.symbol ?? '', denomination: body.denomination ?? 0 },
    ],
  );
  const avax = { name: 'Avalanche', symbol: 'AVAX', denomination: 9 };
  return new Map([[history.avaxAssetId, avax], ...created]);
});

/** An asset amount, the object that stands for every amount on the Primary Network. */
export function renderAmount(
  history: PrimaryHistory,
  assetId: string,
  amount: bigint,
  kind: OutputKind = 'transfer',
): object {
  const { name, symbol, denomination } = assetsOf(history).get(assetId) ?? { name: '', symbol: '', denomination: 0 };
  const type = kind.startsWith('nft') ? 'nft' : 'secp256k1';
  return { assetId, name, symbol, denomination, type, amount: String(amount) };
}

/** Amounts by asset, in the order in which the assets first occur; nothing is left out but zeros. */
export function renderSums(
  history: PrimaryHistory,
  parts: readonly { readonly assetId: string; readonly amount: bigint; readonly kind?: OutputKind }[],
): object[] {
  const sums = new Map<string, { amount: bigint; kind: OutputKind }>();
  for (const { assetId, amount, kind = 'transfer' } of parts) {
    const sum = sums.get(assetId) ?? { amount: 0n, kind };
    sums.set(assetId, sum);
    sum.amount += amount;
  }
  return [...sums]
    .filter(([, { amount }]) => amount > 0n)
    .map(([assetId, { amount, kind }]) => renderAmount(history, assetId, amount, kind));
}

/** The asset a CreateAssetTx creates. */
export function renderCreatedAsset(tx: PrimaryTx): object {
  const { name = '', symbol = '', denomination = 0 } = tx.body;
  const kinds = tx.emitted.filter(({ assetId }) => assetId === tx.id).map(({ kind }) => kind);
  return {
    assetId: tx.id,
    name,
    symbol,
    denomination,
    type: kinds.some((kind) => kind === 'mint' || kind === 'transfer') ? 'secp256k1' : 'nft',
    createdAtTimestamp: tx.time,
    cap: kinds.some((kind) => kind === 'mint') ? 'variable' : 'fixed',
  };
}
