/** One input of a P-, X- or C-Chain atomic transaction: a UTXO that it spends, or an EVM account that it debits. */
export interface InputRow {
  /** Running number over the whole container, from 0. */
  readonly position: number;
  /** cb58; the transaction that spends. */
  readonly tx_id: string;
  /** Place in the transaction over all its lists: inputs, then imported inputs or those of operations. */
  readonly input_index: number;
  /** Null for an X-Chain transaction from before the chain was linear. */
  readonly block_height: number | null;
  /** Unix seconds; null in Apricot blocks of the P-Chain, which carry no time, and where `block_height` is null. */
  readonly block_timestamp: number | null;
  /** `input`, `imported` (from another chain), `operation` (X-Chain), `evm` (account debited by an export of the C-Chain). */
  readonly source: string;
  /** Type on the wire, such as TransferInput or StakeableLockIn; of an operation, the operation's type. */
  readonly input_type: string;
  /** cb58; id of the UTXO spent; null for an EVM account. */
  readonly utxo_id: string | null;
  /** cb58; transaction that made the UTXO. */
  readonly output_tx_id: string | null;
  readonly output_index: number | null;
  /** cb58; the chain that held what is spent. */
  readonly source_chain_id: string;
  /** cb58. */
  readonly asset_id: string;
  /** In the asset's smallest unit (nAVAX); null in operations, which do not repeat it. */
  readonly amount: bigint | null;
  /** Unix seconds as u64, until when the UTXO may only be staked; null if it is not a StakeableLockIn. */
  readonly stakeable_locktime: bigint | null;
  /** Positions of the signers among the UTXO's addresses, as a JSON list; null for an EVM account. */
  readonly signature_indices: string | null;
  /** Signatures of this input's credential, `0x` hex of 65 bytes each. */
  readonly signatures: readonly string[];
  /** `0x` hex; the EVM account. */
  readonly evm_address: string | null;
  /** Nonce of the EVM account at the export. */
  readonly evm_nonce: bigint | null;
}

/** One output of a P-, X- or C-Chain atomic transaction: a UTXO that it makes, or an EVM account that it credits. */
export interface OutputRow {
  /** Running number over the whole container, from 0. */
  readonly position: number;
  /** cb58; the transaction that pays. */
  readonly tx_id: string;
  /** Index by which the UTXO is spent; for an EVM account the place in its list. */
  readonly output_index: number;
  /** Null for an X-Chain transaction from before the chain was linear. */
  readonly block_height: number | null;
  /** Unix seconds; null in Apricot blocks of the P-Chain, which carry no time, and where `block_height` is null. */
  readonly block_timestamp: number | null;
  /**
   * `output`, `exported` (to another chain), `stake` (comes to be when the staking ends), `initial_state` and `operation`
   * (X-Chain), `evm` (account credited by an import of the C-Chain).
   */
  readonly destination: string;
  /** Type on the wire, such as TransferOutput, StakeableLockOut, NftTransferOutput. */
  readonly output_type: string;
  /** cb58; id of the UTXO; null for an EVM account. */
  readonly utxo_id: string | null;
  /** cb58; the chain that holds the output. */
  readonly destination_chain_id: string;
  /** cb58. */
  readonly asset_id: string;
  /** In the asset's smallest unit (nAVAX); null for minting rights, NFTs and properties. */
  readonly amount: bigint | null;
  /** Unix seconds as u64, before which the output cannot be spent; 0 for none; null for an EVM account. */
  readonly locktime: bigint | null;
  /** Unix seconds as u64, until when it may only be staked; null if it is not a StakeableLockOut. */
  readonly stakeable_locktime: bigint | null;
  /** How many of the addresses must sign; null for an EVM account. */
  readonly threshold: number | null;
  /** bech32 without a chain alias. */
  readonly addresses: readonly string[];
  /** `0x` hex; the EVM account. */
  readonly evm_address: string | null;
  /** Group of an NFT. */
  readonly group_id: number | null;
  /** `0x` hex; payload of an NFT. */
  readonly payload: string | null;
}
