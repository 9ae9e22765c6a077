import { z } from 'zod';
import { erc20Transfer, erc721Transfer, erc1155Transfer, internalTransaction } from './evmShapes.ts';

const erc20 = z.object(erc20Transfer);
const erc721 = z.object(erc721Transfer);
const erc1155 = z.object(erc1155Transfer);
const internal = z.object(internalTransaction);

/** The lists inside a transaction, each filling a child table. Absent where they are empty. */
export const transferLists = {
  erc20Transfers: z.array(erc20).nullish(),
  erc721Transfers: z.array(erc721).nullish(),
  erc1155Transfers: z.array(erc1155).nullish(),
  internalTransactions: z.array(internal).nullish(),
};

/**
 * Child tables of an EVM transaction.
 *
 * @param name the stream's, which begins the tables' names
 */
export const transferChildren = (name: string) => ({
  [`${name}_erc20_transfers`]: {
    description: 'ERC-20 transfers of the transactions.',
    schema: erc20,
    key: ['log_index', 'value', 'position'],
    of: 'erc20Transfers',
  },
  [`${name}_erc721_transfers`]: {
    description: 'ERC-721 transfers of the transactions.',
    schema: erc721,
    key: ['log_index', 'position'],
    of: 'erc721Transfers',
  },
  [`${name}_erc1155_transfers`]: {
    description: 'ERC-1155 transfers of the transactions; a batch transfer is several rows of one log.',
    schema: erc1155,
    key: ['log_index', 'erc1155_token_id', 'value', 'position'],
    of: 'erc1155Transfers',
  },
  [`${name}_internal_transactions`]: {
    description: 'Calls and creations inside the transactions that moved value or made a contract.',
    schema: internal,
    key: [
      'from_address',
      'to_address',
      'internal_tx_type',
      'value',
      'is_reverted',
      'gas_used',
      'gas_limit',
      'position',
    ],
    of: 'internalTransactions',
  },
});
