import { z } from 'zod';
import { amount, defineStream, json, numberIn, objectOf, optional, text } from '../../src/index.ts';
import { platformCall } from './platform.ts';
import { node } from './source.ts';

type Amounts = Readonly<Record<string, unknown>>;

/** Maps from asset to amount, and beside them, or alone where a node has only these, the amounts of AVAX. */
interface BalanceAnswer {
  readonly balances?: Amounts | null;
  readonly unlockeds?: Amounts | null;
  readonly lockedStakeables?: Amounts | null;
  readonly lockedNotStakeables?: Amounts | null;
  readonly balance?: unknown;
  readonly unlocked?: unknown;
  readonly lockedStakeable?: unknown;
  readonly lockedNotStakeable?: unknown;
  readonly utxoIDs?: unknown;
}

/** Stands for the id of AVAX, which an answer without the maps does not tell. */
const avax = 'AVAX';

const unit = 'smallest unit of the asset';

/** Balances of P-Chain addresses, by asset. */
export const platformBalances = defineStream(node, {
  name: 'platform_balances',
  description: 'Balances of P-Chain addresses by asset, one version per change; an address without funds has no row.',
  endpoint: 'platform.getBalance',
  deprecated: { since: 'v1.9.12', use: 'node/containers (UTXOs)' },
  parameters: z.strictObject({
    addresses: z.array(z.string()).min(1).describe('Addresses in bech32, with or without P-.'),
  }),
  partitionColumns: [{ name: 'address', description: 'Address in bech32, without chain alias.' }],
  needs: ['network'],
  partitions: ({ addresses }) => {
    const bare = addresses.map((address) => address.replace(/^P-/, ''));
    return [...new Set(bare)].map((address) => ({ values: { address } }));
  },
  schema: z.object({
    assetID: text('Asset (cb58); AVAX where the node names none.'),
    balance: amount('Total.', unit),
    unlocked: amount('Can be spent.', unit),
    lockedStakeable: amount('Locked, may be staked.', unit),
    lockedNotStakeable: amount('Locked, may not be staked.', unit),
    utxoIDs: optional(json('UTXOs that all balances of the address are made of: transaction and output index.')),
  }),
  key: ['address', 'asset_id'],
  way: 'snapshot',
  *pages(partition) {
    yield platformCall('getBalance', { addresses: [`P-${partition.values['address']}`] });
  },
  records: (body) => {
    const { balances, unlockeds, lockedStakeables, lockedNotStakeables, ...whole }: BalanceAnswer = objectOf(body);
    if (balances === undefined || balances === null) {
      if (whole.balance === undefined) objectOf(body, 'balances');
      return numberIn(whole.balance ?? 0) === 0 ? [] : [{ ...whole, assetID: avax }];
    }
    return Object.entries(objectOf(body, 'balances')).map(([assetID, balance]) => ({
      ...whole,
      assetID,
      balance,
      unlocked: unlockeds?.[assetID] ?? 0,
      lockedStakeable: lockedStakeables?.[assetID] ?? 0,
      lockedNotStakeable: lockedNotStakeables?.[assetID] ?? 0,
    }));
  },
});
