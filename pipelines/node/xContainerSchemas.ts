import { z } from 'zod';
import { boolean, hex, int32, int64, optional, text, texts, unixSeconds } from '../../src/index.ts';
import { envelope } from './envelopeSchema.ts';

/** An X-Chain block. */
export const xBlock = z.object({
  height: int64('Height.'),
  block_id: text('Id of the inner block (cb58), which avm.getBlock takes.'),
  parent_id: text("The parent's inner block id (cb58)."),
  block_type: text('StandardBlock.'),
  timestamp: unixSeconds('Block time.'),
  merkle_root: text('Merkle root (cb58); all zero so far.'),
  transaction_count: int32('Transactions.'),
  size: int64('Size of the inner block.', 'bytes'),
  ...envelope,
});

/** A vertex of the X-Chain, from before it became linear. */
export const xVertex = z.object({
  vertex_id: text('Id of the vertex (cb58), recomputed from its bytes.'),
  height: int64('Longest way to the first vertex.'),
  parent_ids: texts('Parents (cb58).'),
  is_stop: boolean('Whether it is the one that ended the graph.'),
  transaction_count: int32('Transactions.'),
  size: int64('Size of the vertex.', 'bytes'),
});

/** An X-Chain transaction. */
export const xTransaction = z.object({
  tx_id: text('Transaction id (cb58).'),
  tx_type: text('BaseTx, CreateAssetTx, OperationTx, ImportTx, ExportTx.'),
  block_height: optional(int64('Height of the block; NULL before the chain was linear.')),
  block_timestamp: optional(unixSeconds('Block time; NULL before the chain was linear.')),
  network_id: int64('Network id inside the transaction.'),
  blockchain_id: text('Chain inside the transaction (cb58).'),
  memo: hex('Memo.'),
  source_chain_id: optional(text('Of an import: where from (cb58).')),
  destination_chain_id: optional(text('Of an export: where to (cb58).')),
  asset_name: optional(text('Of a CreateAssetTx, whose id is the asset id.')),
  asset_symbol: optional(text('Symbol of the new asset.')),
  asset_denomination: optional(int32('Decimals of the new asset.')),
});
