/** One log of a transaction, as its receipt has it. */
export interface EvmLog {
  /** Position in the block. */
  readonly index: number;
  /** Lower case. */
  readonly address: string;
  readonly topics: readonly string[];
  /** `0x` hex. */
  readonly data: string;
}

/** One call frame of a transaction, in preorder; the first is the transaction itself. */
export interface EvmFrame {
  readonly depth: number;
  /** CALL, CREATE, DELEGATECALL, … */
  readonly type: string;
  readonly from: string;
  /** Absent where a creation failed. */
  readonly to: string | null;
  readonly value: bigint;
  readonly gas: bigint;
  readonly gasUsed: bigint;
  /** The frame itself failed. */
  readonly failed: boolean;
  /** The frame or a frame around it failed: it left no trace in the state. */
  readonly reverted: boolean;
}

export interface EvmTransaction {
  /** Position in the whole chain, from 0. */
  readonly ordinal: number;
  readonly block: EvmBlock;
  /** Position in the block. */
  readonly index: number;
  readonly hash: string;
  readonly from: string;
  /** null for a contract creation. */
  readonly to: string | null;
  /** The contract a creation made. */
  readonly contract: string | null;
  readonly nonce: bigint;
  readonly value: bigint;
  readonly type: number;
  readonly input: string;
  readonly gasLimit: bigint;
  readonly gasUsed: bigint;
  /** Effective gas price of the receipt. */
  readonly gasPrice: bigint;
  readonly maxFeePerGas: bigint | null;
  readonly maxPriorityFeePerGas: bigint | null;
  readonly succeeded: boolean;
  readonly logs: readonly EvmLog[];
  /** Empty where the transaction was not traced. */
  readonly frames: readonly EvmFrame[];
}

export interface EvmBlock {
  readonly number: number;
  readonly hash: string;
  /** Seconds. */
  readonly time: number;
  readonly timeMilliseconds: number | null;
  readonly minDelayExcess: number | null;
  readonly baseFee: bigint;
  /** Gas that its transactions used, by their receipts. */
  readonly gasUsed: bigint;
  /** Milliseconds: when the block came into being. */
  readonly visibleAt: number;
  /** Ordinal of its first transaction. */
  readonly first: number;
  readonly transactions: readonly EvmTransaction[];
  /** Number of atomic transactions in its extra data (C-Chain). */
  readonly atomicTransactions: number;
}

/** A whole EVM chain, parsed. */
export interface EvmHistory {
  readonly name: string;
  readonly blockchainId: string;
  readonly subnetId: string | null;
  readonly evmChainId: number;
  /** By number, from 0. */
  readonly blocks: readonly EvmBlock[];
  readonly transactions: readonly EvmTransaction[];
  /** Number of blocks there are at that moment (milliseconds). */
  visibleBlocks(asOf: number): number;
  /** Number of transactions in those blocks. */
  visibleTransactions(asOf: number): number;
}
