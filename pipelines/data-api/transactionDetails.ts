import { z } from 'zod';
import { amount, defineStream, hex, int32, named, optional, text } from '../../src/index.ts';
import { evmChainId } from './evmChain.ts';
import { money, nativeTransaction } from './evmShapes.ts';
import { chainIds } from './parameters.ts';
import { data, weights } from './source.ts';
import { flatDetails, transferChildren, transferLists } from './transfers.ts';

/** Everything the service says of one transaction. */
export const transactionDetails = defineStream(data, {
  name: 'transaction_details',
  description: 'Complete view of the transactions that the address streams have seen, each asked for once.',
  endpoint: 'GET /v1/chains/{chainId}/transactions/{txHash}',
  parameters: z.strictObject({
    chainIds,
    budget: z.number().int().min(1).default(1000).describe('Transactions looked up in one run at most.'),
  }),
  partitionColumns: [{ name: 'chain_id', description: 'EVM chain id.' }],
  partitions: ({ chainIds, budget }, network) =>
    chainIds.map((name) => ({ values: { chain_id: evmChainId(network, name) }, settings: { budget } })),
  schema: z.object({
    ...nativeTransaction,
    input: optional(hex('Call data.')),
    baseFeePerGas: optional(amount('Base fee of the block.', 'wei')),
    maxFeePerGas: optional(amount('Highest price per gas the sender agreed to.', 'wei')),
    maxPriorityFeePerGas: optional(amount('Highest tip per gas.', 'wei')),
    networkTokenDetails: z
      .object({
        networkToken: z
          .object({
            name: optional(text('Name of the native token.')),
            symbol: optional(text('Symbol of the native token.')),
            decimals: optional(int32('Decimals of the native token.')),
            logoUri: optional(text('URL of its logo.')),
            description: optional(text('Description of the native token.')),
          })
          .nullish(),
        currentPrice: money,
        historicalPrice: money,
      })
      .nullish(),
    teleporterMessageInfo: z
      .object({
        teleporterMessageId: optional(
          named('message_id', text('Interchain message that the transaction sends or delivers.')),
        ),
        direction: optional(text('SOURCE_TRANSACTION, DESTINATION_TRANSACTION, or a newer word.')),
        sourceChainId: optional(text('Chain that the message comes from; where it is delivered.')),
        destinationChainId: optional(text('Chain that the message goes to; where it is sent.')),
      })
      .nullish(),
    ...transferLists,
  }),
  key: ['chain_id', 'tx_hash'],
  range: 'block_number',
  children: transferChildren('transaction_details'),
  way: 'lookup',
  keys: `
    SELECT tx_hash AS "key" FROM raw.data_address_transactions WHERE chain_id = $chain_id
    UNION SELECT tx_hash FROM raw.data_address_erc721_transfers WHERE chain_id = $chain_id
    UNION SELECT tx_hash FROM raw.data_address_internal_transactions WHERE chain_id = $chain_id
    UNION SELECT tx_hash FROM raw.data_token_transfers WHERE chain_id = $chain_id`,
  request: (hash, { values }) => ({
    kind: 'get',
    path: `/v1/chains/${values['chain_id']}/transactions/${hash}`,
    weight: weights.medium,
  }),
  records: (body) => [flatDetails(body)],
});
