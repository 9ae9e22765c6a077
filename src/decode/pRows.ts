import type { EnvelopeRow } from './envelopeRow.ts';
import type { PDetailRows } from './pDetailRows.ts';
import type { InputRow, OutputRow } from './utxoRows.ts';

/** A block of the P-Chain. */
interface PBlockRow extends EnvelopeRow {
  readonly height: number;
  /** cb58; the inner block's id, which platform.getBlock takes. */
  readonly block_id: string;
  /** cb58; the parent's inner block id. */
  readonly parent_id: string;
  /** ApricotProposalBlock to BanffStandardBlock. */
  readonly block_type: string;
  /** Unix seconds; null in Apricot blocks, which carry no time. */
  readonly timestamp: number | null;
  readonly transaction_count: number;
  /** Bytes of the inner block. */
  readonly size: number;
}

/** A transaction of the P-Chain. Null where its type has no such member. */
export interface PTransactionRow {
  /** Place in the block, from 0; a proposal's transaction comes last. */
  readonly position: number;
  /** cb58. */
  readonly tx_id: string;
  /** AddValidatorTx to RewardAutoRenewedValidatorTx. */
  readonly tx_type: string;
  readonly block_height: number;
  /** Unix seconds; null in Apricot blocks. */
  readonly block_timestamp: number | null;
  /** Whether the next block, a commit or an abort, decides about it. */
  readonly is_proposal: boolean;
  readonly network_id: number | null;
  /** cb58. */
  readonly blockchain_id: string | null;
  /** `0x` hex. */
  readonly memo: string | null;
  /** cb58; of an import. */
  readonly source_chain_id: string | null;
  /** cb58; of an export. */
  readonly destination_chain_id: string | null;
  /** cb58; the subnet it is about, all zero for the primary network. */
  readonly subnet_id: string | null;
  /** `NodeID-…` of the validator it is about. */
  readonly node_id: string | null;
  /** cb58; the staking transaction that it rewards or configures. */
  readonly staking_tx_id: string | null;
  /** Unix seconds; the chain's new time (AdvanceTimeTx) or the end of a cycle (RewardAutoRenewedValidatorTx). */
  readonly chain_time: number | null;
  /** JSON text of the members that only this type has, as the node gives them; null for transfers. */
  readonly details: string | null;
}

/** The rows of one container of the index P/block. */
export interface PContainerRows extends PDetailRows {
  readonly chain: 'P';
  readonly block: PBlockRow;
  readonly transactions: readonly PTransactionRow[];
  readonly inputs: readonly InputRow[];
  readonly outputs: readonly OutputRow[];
}
