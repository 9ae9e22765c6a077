import { z } from 'zod';
import { defineStream, hex, keyList, named, optional, text, uint256 } from '../../src/index.ts';
import { evmChainIds } from './evmChain.ts';
import { money, nativeTransaction, networkToken } from './evmShapes.ts';
import { isTransaction } from './isTransaction.ts';
import { chainIdColumn, chainIds } from './parameters.ts';
import { data, weights } from './source.ts';
import { transferChildren, transferLists } from './transfers.ts';

/** Streams that bring transaction hashes; the last is used only on request, since it sees every transaction of a chain. */
const seenBy = [
  'address_transactions',
  'address_erc721_transfers',
  'address_internal_transactions',
  'token_transfers',
  'latest_transactions',
] as const;

/** Everything the service says of one transaction. */
export const transactionDetails = defineStream(data, {
  name: 'transaction_details',
  description: 'Complete view of transactions that other streams have seen, or that are named, each asked for once.',
  endpoint: 'GET /v1/chains/{chainId}/transactions/{txHash}',
  parameters: z.strictObject({
    chainIds,
    streams: z
      .array(z.enum(seenBy))
      .min(1)
      .default([...seenBy.slice(0, 4)])
      .describe('Streams whose transactions are looked up.'),
    txHashes: z
      .array(z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'a transaction hash is 0x and 64 hex digits'))
      .default([])
      .describe('Transactions to look up beside those.'),
    budget: z
      .number()
      .int()
      .min(1)
      .default(1000)
      .describe('How many transactions one run looks up at most; `firn status` tells how many are left.'),
  }),
  partitionColumns: [chainIdColumn],
  partitions: ({ chainIds, streams, txHashes, budget }, network) =>
    evmChainIds(network, chainIds).map((chain_id) => ({
      values: { chain_id },
      settings: { streams, txHashes: txHashes.map((hash) => hash.toLowerCase()) },
      budget,
    })),
  schema: z.object({
    ...nativeTransaction,
    input: optional(hex('Call data.')),
    baseFeePerGas: optional(uint256('Base fee of the block.', 'wei')),
    maxFeePerGas: optional(uint256('Highest price per gas the sender agreed to.', 'wei')),
    maxPriorityFeePerGas: optional(uint256('Highest tip per gas.', 'wei')),
    networkTokenDetails: z
      .object({
        networkToken,
        currentPrice: money,
        historicalPrice: money,
      })
      .nullish(),
    teleporterMessageInfo: z
      .object({
        teleporterMessageId: optional(
          named('message_id', text('Interchain message that the transaction sends or delivers.')),
        ),
        direction: optional(text('SOURCE_TRANSACTION, DESTINATION_TRANSACTION, or a newer value.')),
        sourceChainId: optional(text('Chain that the message comes from; where it is delivered.')),
        destinationChainId: optional(text('Chain that the message goes to; where it is sent.')),
      })
      .nullish(),
    ...transferLists,
  }),
  key: ['chain_id', 'tx_hash'],
  range: 'block_number',
  files: { chain: 'chain_id', time: 'block_timestamp' },
  height: 'block_number',
  children: transferChildren('transaction_details'),
  way: 'lookup',
  keys: ({ settings: { streams, txHashes } }) => {
    const seen = streams.map((name) => `SELECT tx_hash AS "key" FROM raw.data_${name} WHERE chain_id = $chain_id`);
    return [...seen, keyList(txHashes)].join(' UNION ALL ');
  },
  lifts: ['nativeTransaction', 'networkTokenDetails', 'teleporterMessageInfo'],
  request: (hash, { values }) => ({
    kind: 'get',
    path: `/v1/chains/${values['chain_id']}/transactions/${hash}`,
    weight: weights.medium,
    check: isTransaction(hash),
  }),
  records: {},
});
