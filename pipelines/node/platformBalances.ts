import { z } from 'zod';
import {
  amount,
  defineStream,
  elsewhere,
  json,
  memberOf,
  objectOf,
  optional,
  RawValue,
  text,
} from '../../src/index.ts';
import { platformCall } from './platform.ts';
import { node } from './source.ts';

/** Stands for the id of AVAX, which an answer without the maps does not name. */
const avax = 'AVAX';

const unit = 'smallest unit of the asset';

/** A list in an order of its own: each node lists UTXOs as they came to it. */
function sorted(list: string): string {
  const items = new RawValue(Buffer.from(list)).items();
  return items ? `[${items.map((item) => item.text()).sort()}]` : list;
}

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
    balances: optional(elsewhere('Totals by asset.')),
    unlockeds: optional(elsewhere('What can be spent, by asset.')),
    lockedStakeables: optional(elsewhere('What is locked and may be staked, by asset.')),
    lockedNotStakeables: optional(elsewhere('What is locked and may not be staked, by asset.')),
  }),
  key: ['address', 'asset_id'],
  derive: (row) => {
    const utxoIds = row.value('utxo_ids');
    return { columns: typeof utxoIds === 'string' ? { utxo_ids: sorted(utxoIds) } : {} };
  },
  way: 'snapshot',
  *pages(partition) {
    const page = yield platformCall('getBalance', { addresses: [`P-${partition.values['address']}`] }, (body) => {
      if (memberOf(body, 'balance') === undefined) objectOf(body, 'balances');
    });
    if (memberOf(page.body, 'balances')) return;
    yield { kind: 'read', page };
    page.within('balance', 1);
  },
  // Maps from asset to amount, and beside them, or alone where a node has only these, the amounts of AVAX.
  records: [
    {
      at: 'balances',
      each: 'member',
      mayMiss: true,
      onto: 'answer',
      name: 'assetID',
      take: { balance: '' },
      also: { unlocked: 0, lockedStakeable: 0, lockedNotStakeable: 0 },
      beside: {
        unlocked: 'unlockeds.*',
        lockedStakeable: 'lockedStakeables.*',
        lockedNotStakeable: 'lockedNotStakeables.*',
      },
    },
    { without: 'balances', also: { assetID: avax } },
  ],
});
