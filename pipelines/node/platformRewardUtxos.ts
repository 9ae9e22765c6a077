import { z } from 'zod';
import {
  amount,
  decodeHexChecksum,
  decodeUtxo,
  defineStream,
  encodedBytes,
  int64,
  named,
  optional,
  text,
  texts,
  uint64,
} from '../../src/index.ts';
import { platformCall } from './platform.ts';
import { node } from './source.ts';

/** Bytes of a UTXO; malformed bytes are refused here, so that the record goes to quarantine. */
function utxoBytes(hex: string): Uint8Array {
  const bytes = decodeHexChecksum(hex);
  decodeUtxo(bytes, 'custom');
  return bytes;
}

/**
 * Stakings whose reward is decided: the block after the one that proposes it exists. An auto-renewed validator is rewarded
 * every cycle, and the node keeps these UTXOs under the transaction that does it: its keys carry that one, too.
 */
const decided = `
  SELECT CASE WHEN tx_type = 'RewardValidatorTx' THEN staking_tx_id ELSE staking_tx_id || '@' || tx_id END AS "key"
  FROM raw.node_containers_p_transactions AS tx
  WHERE tx_type IN ('RewardValidatorTx', 'RewardAutoRenewedValidatorTx')
    AND EXISTS (SELECT 1 FROM raw.node_containers_p_blocks AS later WHERE later.height = tx.block_height + 1)
  UNION
  SELECT json_extract_string(unsigned_tx, '$.txID') || CASE WHEN tx_type = 'RewardValidatorTx' THEN '' ELSE '@' || tx_id END AS "key"
  FROM raw.node_platform_transactions AS tx
  WHERE tx_type IN ('RewardValidatorTx', 'RewardAutoRenewedValidatorTx')
    AND EXISTS (SELECT 1 FROM raw.node_platform_blocks AS later WHERE later.height = tx.height + 1)`;

/** Reward UTXOs of stakings that ended: they stand in no block. */
export const platformRewardUtxos = defineStream(node, {
  name: 'platform_reward_utxos',
  description: 'UTXOs that rewarded validators and delegators; no block holds them.',
  endpoint: 'platform.getRewardUTXOs',
  parameters: z.strictObject({
    budget: z
      .number()
      .int()
      .positive()
      .default(10_000)
      .describe('How many staking transactions one run asks about at most; `firn status` tells how many are left.'),
  }),
  needs: ['network'],
  partitions: ({ budget }) => [{ values: {}, budget }],
  schema: z.object({
    stakingTxID: named('tx_id', text('Staking transaction that was rewarded (cb58).')),
    utxo: named('bytes', encodedBytes('The UTXO, without the checksum of its encoding.', utxoBytes)),
    utxo_id: optional(text('Id of the UTXO (cb58).')),
    output_tx_id: optional(text('Transaction inside the UTXO (cb58).')),
    output_index: optional(int64('Index of the output in that transaction.')),
    asset_id: optional(text('Asset (cb58).')),
    output_type: optional(text('Type on the wire.')),
    amount: optional(amount('Reward.', 'smallest unit of the asset')),
    locktime: optional(uint64('Unix seconds before which it cannot be spent; 0 for none.')),
    threshold: optional(int64('How many of the addresses must sign.')),
    addresses: optional(texts('Owners in bech32, without a chain alias.')),
  }),
  key: ['tx_id', 'utxo_id'],
  derive: (row, _, { hrp }) => {
    const { tx_id, ...utxo } = decodeUtxo(row.value('bytes') as Uint8Array, hrp);
    return { columns: { ...utxo, output_tx_id: tx_id } };
  },
  way: 'lookup',
  keys: () => decided,
  request: (key) => {
    const [about = key, rewarding = about] = key.split('@');
    return { ...platformCall('getRewardUTXOs', { txID: rewarding, encoding: 'hex' }), about };
  },
  records: { at: 'utxos', each: 'item', take: { utxo: '' }, about: 'stakingTxID' },
});
