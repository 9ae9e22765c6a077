import type { EnvelopeRow } from './envelopeRow.ts';
import type { InputRow, OutputRow } from './utxoRows.ts';

/** A block of the X-Chain. */
interface XBlockRow extends EnvelopeRow {
  readonly height: number;
  /** cb58; the inner block's id, which avm.getBlock takes. */
  readonly block_id: string;
  /** cb58; the parent's inner block id. */
  readonly parent_id: string;
  /** StandardBlock. */
  readonly block_type: string;
  /** Unix seconds. */
  readonly timestamp: number;
  /** cb58; all zero so far. */
  readonly merkle_root: string;
  readonly transaction_count: number;
  /** Bytes of the inner block. */
  readonly size: number;
}

/** A transaction of the X-Chain. */
export interface XTransactionRow {
  /** Place in the block, from 0. */
  readonly position: number;
  /** cb58. */
  readonly tx_id: string;
  /** BaseTx, CreateAssetTx, OperationTx, ImportTx, ExportTx. */
  readonly tx_type: string;
  /** Null for a transaction from before the chain was linear (indexes X/tx and X/vtx). */
  readonly block_height: number | null;
  /** Unix seconds; null as `block_height`. */
  readonly block_timestamp: number | null;
  readonly network_id: number;
  /** cb58. */
  readonly blockchain_id: string;
  /** `0x` hex. */
  readonly memo: string;
  /** cb58; of an import. */
  readonly source_chain_id: string | null;
  /** cb58; of an export. */
  readonly destination_chain_id: string | null;
  /** Of a CreateAssetTx, whose id is the asset's id. */
  readonly asset_name: string | null;
  readonly asset_symbol: string | null;
  readonly asset_denomination: number | null;
}

/** A vertex of the X-Chain's graph, from before the chain became linear. */
interface XVertexRow {
  /** cb58; the container's id too. */
  readonly vertex_id: string;
  /** Longest way to the first vertex. */
  readonly height: number;
  /** cb58. */
  readonly parent_ids: readonly string[];
  /** Whether it is the one that ended the graph. */
  readonly is_stop: boolean;
  readonly transaction_count: number;
  readonly size: number;
}

/** The rows of one container of an index of the X-Chain. */
export interface XContainerRows {
  readonly chain: 'X';
  /** Only of the index X/block. */
  readonly block: XBlockRow | null;
  /** Only of the index X/vtx. */
  readonly vertex: XVertexRow | null;
  readonly transactions: readonly XTransactionRow[];
  readonly inputs: readonly InputRow[];
  readonly outputs: readonly OutputRow[];
}
