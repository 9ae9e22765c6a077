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
      const transfer = input.type === 'StakeableLockIn' ? input.input : input;
      this.inputs.push({
        ...this.inputStart(source, input.type, chain, assetID),
        utxo_id: encodeCb58(utxoId(txID, outputIndex)),
        output_tx_id: encodeCb58(txID),
        output_index: outputIndex,
        amount: transfer.amount,
        stakeable_locktime: input.type === 'StakeableLockIn' ? input.locktime : null,
        signature_indices: JSON.stringify(transfer.signatureIndices),
        signatures: this.signatures(),
        evm_address: null,
        evm_nonce: null,
      });
      this.inputIndex++;
    }
  }

  /** The UTXOs that one operation of the X-Chain consumes; they share its credential. */
  operate(
    type: string,
    chain: Uint8Array,
    assetID: Uint8Array,
    spent: readonly { readonly txID: Uint8Array; readonly outputIndex: number }[],
    signatureIndices: readonly number[],
    operationIndex: number,
  ): void {
    const signatures = hexOf(this.credentials[operationIndex]);
    for (const { txID, outputIndex } of spent) {
      this.inputs.push({
        ...this.inputStart('operation', type, chain, assetID),
        utxo_id: encodeCb58(utxoId(txID, outputIndex)),
        output_tx_id: encodeCb58(txID),
        output_index: outputIndex,
        amount: null,
        stakeable_locktime: null,
        signature_indices: JSON.stringify(signatureIndices),
        signatures,
        evm_address: null,
        evm_nonce: null,
      });
      this.inputIndex++;
    }
  }

  /** EVM accounts that an export of the C-Chain debits. */
  debit(chain: Uint8Array, accounts: readonly EvmAccount[]): void {
    for (const { address, amount, assetID, nonce } of accounts) {
      this.inputs.push({
        ...this.inputStart('evm', 'EVMInput', chain, assetID),
        utxo_id: null,
        output_tx_id: null,
        output_index: null,
        amount,
        stakeable_locktime: null,
        signature_indices: null,
        signatures: this.signatures(),
        evm_address: toHex(address),
        evm_nonce: nonce ?? null,
      });
      this.inputIndex++;
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
    const state = output.type === 'StakeableLockOut' ? output.output : output;
    this.outputs.push({
      ...this.outputStart(destination, output.type, chain, assetID),
      utxo_id: encodeCb58(utxoId(this.txId, this.outputIndex)),
      amount: 'amount' in state ? state.amount : null,
      locktime: state.locktime,
      stakeable_locktime: output.type === 'StakeableLockOut' ? output.locktime : null,
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
        ...this.outputStart('evm', 'EVMOutput', chain, assetID),
        utxo_id: null,
        amount,
        locktime: null,
        stakeable_locktime: null,
        threshold: null,
        addresses: [],
        evm_address: toHex(address),
        group_id: null,
        payload: null,
      });
      this.outputIndex++;
    }
  }

  private inputStart(source: string, type: string, chain: Uint8Array, assetID: Uint8Array) {
    return {
      position: this.inputs.length,
      tx_id: this.txIdText,
      input_index: this.inputIndex,
      block_height: this.place.height,
      block_timestamp: this.place.timestamp,
      source,
      input_type: type,
      source_chain_id: cachedCb58(chain),
      asset_id: cachedCb58(assetID),
    };
  }

  private outputStart(destination: string, type: string, chain: Uint8Array, assetID: Uint8Array) {
    return {
      position: this.outputs.length,
      tx_id: this.txIdText,
      output_index: this.outputIndex,
      block_height: this.place.height,
      block_timestamp: this.place.timestamp,
      destination,
      output_type: type,
      destination_chain_id: cachedCb58(chain),
      asset_id: cachedCb58(assetID),
    };
  }

  private signatures(): readonly string[] {
    return hexOf(this.credentials[this.inputIndex]);
  }
}

const hexOf = (credential: Signed | undefined): readonly string[] => credential?.signatures.map(toHex) ?? [];
