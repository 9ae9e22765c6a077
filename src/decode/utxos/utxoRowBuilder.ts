import type { Rows } from '../../core/rows/rows.ts';
import type { TransferableInput } from '../avalanche/transferables.ts';
import type { XOutput } from '../avalanche/xTransactions.ts';
import { encodeCb58 } from '../bytes/cb58.ts';
import { addInput } from './utxoInputs.ts';
import { addOutput, type Made } from './utxoOutputs.ts';
import type { BlockPlace, UtxoTransaction } from './utxoPlace.ts';

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

const unsigned: Signed = { signatures: [] };

/** Adds the input and output rows of one container, transaction by transaction. */
export class UtxoRowBuilder {
  readonly #place: BlockPlace;
  readonly #inputs: Rows;
  readonly #outputs: Rows;
  #tx: UtxoTransaction;
  #credentials: readonly Signed[] = [];
  #inputIndex = 0;
  #outputIndex = 0;

  constructor(place: BlockPlace, inputs: Rows, outputs: Rows) {
    this.#place = place;
    this.#inputs = inputs;
    this.#outputs = outputs;
    this.#tx = { place, id: new Uint8Array(), idText: '' };
  }

  /** Goes to the next transaction and gives its id in cb58. */
  begin(tx: { readonly id: Uint8Array; readonly credentials: readonly Signed[] }): string {
    const idText = encodeCb58(tx.id);
    this.#tx = { place: this.#place, id: tx.id, idText };
    this.#credentials = tx.credentials;
    this.#inputIndex = 0;
    this.#outputIndex = 0;
    return idText;
  }

  /** Inputs in the order of the transaction: a credential belongs to each. */
  spend(source: 'input' | 'imported', chain: Uint8Array, items: readonly TransferableInput[]): void {
    for (const { txID, outputIndex, assetID, input } of items) {
      const locked = input.type === 'StakeableLockIn';
      const { amount, signatureIndices } = locked ? input.input : input;
      const index = this.#inputIndex++;
      addInput(this.#inputs, {
        tx: this.#tx,
        index,
        source,
        type: input.type,
        chain,
        assetID,
        txID,
        outputIndex,
        amount,
        stakeableLocktime: locked ? input.locktime : null,
        signatureIndices,
        signatures: (this.#credentials[index] ?? unsigned).signatures,
        account: null,
      });
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
    for (const { txID, outputIndex } of inputIDs)
      addInput(this.#inputs, {
        tx: this.#tx,
        index: this.#inputIndex++,
        source: 'operation',
        type,
        chain,
        assetID,
        txID,
        outputIndex,
        amount: null,
        stakeableLocktime: null,
        signatureIndices,
        signatures: (this.#credentials[credentialIndex] ?? unsigned).signatures,
        account: null,
      });
  }

  /** EVM accounts that an export of the C-Chain debits. */
  debit(chain: Uint8Array, accounts: readonly EvmAccount[]): void {
    for (const account of accounts) {
      const index = this.#inputIndex++;
      addInput(this.#inputs, {
        tx: this.#tx,
        index,
        source: 'evm',
        type: 'EVMInput',
        chain,
        assetID: account.assetID,
        txID: null,
        outputIndex: null,
        amount: account.amount,
        stakeableLocktime: null,
        signatureIndices: null,
        signatures: (this.#credentials[index] ?? unsigned).signatures,
        account,
      });
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

  makeOne(
    destination: Made['destination'],
    chain: Uint8Array,
    assetID: Uint8Array,
    output: XOutput | StakeableLockOut,
  ): void {
    const locked = output.type === 'StakeableLockOut';
    addOutput(this.#outputs, {
      tx: this.#tx,
      index: this.#outputIndex++,
      destination,
      type: output.type,
      chain,
      assetID,
      state: locked ? output.output : output,
      stakeableLocktime: locked ? output.locktime : null,
      account: null,
    });
  }

  /** EVM accounts that an import of the C-Chain credits. */
  credit(chain: Uint8Array, accounts: readonly EvmAccount[]): void {
    for (const account of accounts)
      addOutput(this.#outputs, {
        tx: this.#tx,
        index: this.#outputIndex++,
        destination: 'evm',
        type: 'EVMOutput',
        chain,
        assetID: account.assetID,
        state: null,
        stakeableLocktime: null,
        account,
      });
  }
}
