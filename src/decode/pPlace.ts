import { int64, optional, text, unixSeconds } from '../core/columns.ts';

/** Where something stands that a transaction of the P-Chain does. */
export const pPlace = {
  tx_id: text('Transaction (cb58).'),
  block_height: optional(int64('Height of the block.')),
  block_timestamp: optional(unixSeconds('Block time; NULL in Apricot blocks.')),
};
