import { z } from 'zod';
import { boolean, hex, int32, int64, json, optional, text, unixSeconds } from '../../src/index.ts';
import { envelope } from './envelopeSchema.ts';

/** A P-Chain block. */
export const pBlock = z.object({
  height: int64('Height.'),
  block_id: text('Id of the inner block (cb58), which platform.getBlock takes.'),
  parent_id: text("The parent's inner block id (cb58)."),
  block_type: text('ApricotProposalBlock to BanffStandardBlock.'),
  timestamp: optional(unixSeconds('Block time; NULL in Apricot blocks, which carry none.')),
  transaction_count: int32('Transactions.'),
  size: int64('Size of the inner block.', 'bytes'),
  ...envelope,
});

/** A P-Chain transaction; NULL where its type has no such member. */
export const pTransaction = z.object({
  tx_id: text('Transaction id (cb58).'),
  tx_type: text('AddValidatorTx to RewardAutoRenewedValidatorTx.'),
  block_height: int64('Height of the block.'),
  block_timestamp: optional(unixSeconds('Block time; NULL in Apricot blocks.')),
  is_proposal: boolean('Whether the next block, a commit or an abort, decides about it.'),
  network_id: optional(int64('Network id inside the transaction.')),
  blockchain_id: optional(text('Chain inside the transaction (cb58).')),
  memo: optional(hex('Memo.')),
  source_chain_id: optional(text('Of an import: where from (cb58).')),
  destination_chain_id: optional(text('Of an export: where to (cb58).')),
  subnet_id: optional(text('Subnet it is about (cb58), all zero for the Primary Network.')),
  node_id: optional(text('NodeID of the validator it is about.')),
  staking_tx_id: optional(text('Staking transaction that it rewards or configures (cb58).')),
  chain_time: optional(unixSeconds('New chain time (AdvanceTimeTx), or end of a cycle.')),
  details: optional(json('Members that only this type has, as the node names them; NULL for transfers.')),
});
