import { toBech32 } from './address.ts';
import { cachedCb58 } from './cachedCb58.ts';
import { encodeCb58 } from './cb58.ts';
import { toHex } from './hex.ts';
import { utxoId } from './signedTx.ts';
import type { TransferableInput } from './transferables.ts';
import type { InputRow, OutputRow } from './utxoRows.ts';
import type { XOutput } from './xTransactions.ts';

/** What all rows of a block share. */
export interface BlockPlace {
  /** Null for what stands in no block. */
  readonly height: number | null;
  /** Unix seconds. */
  readonly timestamp: number | null;
  /** bech32 human-readable part of the network. */
  readonly hrp: string;
}

type StakeableLockOut = { readonly type: 'StakeableLockOut'; readonly locktime: bigint; readonly output: XOutput };
interface Signed {
  readonly signatures: readonly Uint8Array[];
}
interface EvmAccount {
  readonly address: Uint8Array;
  readonly amount: bigint;
  readonly assetID: Uint8Array;
  readonly nonce?: bigint;
}

interface Spent {
  readonly source: string;
  readonly type: string;
  readonly chain: Uint8Array;
  readonly assetID: Uint8Array;
  readonly txID: Uint8Array | null;
  readonly outputIndex: number | null;
  readonly amount: bigint | null;
}

/** Collects the input and output rows of one container, transaction by transaction. */
export class UtxoRowBuilder {
  readonly inputs: InputRow[] = [];
  readonly outputs: OutputRow[] = [];
  private readonly place: BlockPlace;
  private txId: Uint8Array = new Uint8Array();
  private txIdText = '';
  private credentials: readonly Signed[] = [];
  private inputIndex = 0;
  private outputIndex = 0;

  constructor(place: BlockPlace) {
    this.place = place;
  }

  /** Goes to the next transaction and gives its id in cb58. */
  begin(tx: { readonly id: Uint8Array; readonly credentials: readonly Signed[] }): string {
    this.txId = tx.id;
    this.txIdText = encodeCb58(tx.id);
    this.credentials = tx.credentials;
    this.inputIndex = 0;
    this.outputIndex = 0;
    return this.txIdText;
  }

  /** Inputs in the order of the transaction: a credential belongs to each. */
  spend(source: 'input' | 'imported', chain: Uint8Array, items: readonly TransferableInput[]): void {
    for (const { txID, outputIndex, assetID, input } of items) {
      const locked = input.type === 'StakeableLockIn';
      const { amount, signatureIndices } = locked ? input.input : input;
      const spent = { source, type: input.type, chain, assetID, txID, outputIndex, amount };
      const lock = locked ? input.locktime : null;
      this.inputs.push(this.inputRow(spent, lock, signatureIndices, this.credentials[this.inputIndex]));
    }
  }

  /** The UTXOs that one operation of the X-Chain consumes; they share its credential. */
  operate(operation: {
    readonly type: string;
    readonly chain: Uint8Array;
    readonly assetID: Uint8Array;
    readonly inputIDs: readonly { readonly txID: Uint8Array; readonly outputIndex: number }[];
    readonly signatureIndices: readonly number[];
    readonly credentialIndex: number;
  }): void {
    const { type, chain, assetID, inputIDs, signatureIndices, credentialIndex } = operation;
    for (const { txID, outputIndex } of inputIDs) {
      const spent = { source: 'operation', type, chain, assetID, txID, outputIndex, amount: null };
      this.inputs.push(this.inputRow(spent, null, signatureIndices, this.credentials[credentialIndex]));
    }
  }

  /** EVM accounts that an export of the C-Chain debits. */
  debit(chain: Uint8Array, accounts: readonly EvmAccount[]): void {
    for (const { address, amount, assetID, nonce } of accounts) {
      const debited = { source: 'evm', type: 'EVMInput', chain, assetID, txID: null, outputIndex: null, amount };
      const row = this.inputRow(debited, null, null, this.credentials[this.inputIndex]);
      this.inputs.push({ ...row, evm_address: toHex(address), evm_nonce: nonce ?? null });
    }
  }

  /** UTXOs with an asset of their own, in the order of their indexes. */
  make(
    destination: 'output' | 'exported' | 'stake',
    chain: Uint8Array,
    items: readonly { readonly assetID: Uint8Array; readonly output: XOutput | StakeableLockOut }[],
  ): void {
    for (const { assetID, output } of items) this.makeOne(destination, chain, assetID, output);
  }

  makeOne(destination: string, chain: Uint8Array, assetID: Uint8Array, output: XOutput | StakeableLockOut): void {
    const locked = output.type === 'StakeableLockOut';
    const state = locked ? output.output : output;
    this.outputs.push({
      position: this.outputs.length,
      tx_id: this.txIdText,
      output_index: this.outputIndex,
      block_height: this.place.height,
      block_timestamp: this.place.timestamp,
      destination,
      output_type: output.type,
      utxo_id: encodeCb58(utxoId(this.txId, this.outputIndex)),
      destination_chain_id: cachedCb58(chain),
      asset_id: cachedCb58(assetID),
      amount: 'amount' in state ? state.amount : null,
      locktime: state.locktime,
      stakeable_locktime: locked ? output.locktime : null,
      threshold: state.threshold,
      addresses: state.addresses.map((address) => toBech32(address, this.place.hrp)),
      evm_address: null,
      group_id: 'groupID' in state ? state.groupID : null,
      payload: 'payload' in state ? toHex(state.payload) : null,
    });
    this.outputIndex++;
  }

  /** EVM accounts that an import of the C-Chain credits. */
  credit(chain: Uint8Array, accounts: readonly EvmAccount[]): void {
    for (const { address, amount, assetID } of accounts) {
      this.outputs.push({
        position: this.outputs.length,
        tx_id: this.txIdText,
        output_index: this.outputIndex++,
        block_height: this.place.height,
        block_timestamp: this.place.timestamp,
        destination: 'evm',
        output_type: 'EVMOutput',
        utxo_id: null,
        destination_chain_id: cachedCb58(chain),
        asset_id: cachedCb58(assetID),
        amount,
        locktime: null,
        stakeable_locktime: null,
        threshold: null,
        addresses: [],
        evm_address: toHex(address),
        group_id: null,
        payload: null,
      });
    }
  }

  private inputRow(
    spent: Spent,
    stakeableLocktime: bigint | null,
    signatureIndices: readonly number[] | null,
    credential: Signed | undefined,
  ): InputRow {
    const { txID, outputIndex } = spent;
    return {
      position: this.inputs.length,
      tx_id: this.txIdText,
      input_index: this.inputIndex++,
      block_height: this.place.height,
      block_timestamp: this.place.timestamp,
      source: spent.source,
      input_type: spent.type,
      utxo_id: txID && outputIndex !== null ? encodeCb58(utxoId(txID, outputIndex)) : null,
      output_tx_id: txID && encodeCb58(txID),
      output_index: outputIndex,
      source_chain_id: cachedCb58(spent.chain),
      asset_id: cachedCb58(spent.assetID),
      amount: spent.amount,
      stakeable_locktime: stakeableLocktime,
      signature_indices: signatureIndices && JSON.stringify(signatureIndices),
      signatures: credential?.signatures.map(toHex) ?? [],
      evm_address: null,
      evm_nonce: null,
    };
  }
}
