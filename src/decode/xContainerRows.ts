import { cachedCb58 } from './cachedCb58.ts';
import { encodeCb58 } from './cb58.ts';
import { type EnvelopeRow, envelopeRow } from './envelopeRow.ts';
import { toHex } from './hex.ts';
import type { Envelope } from './proposervm.ts';
import { safeInteger } from './safeInteger.ts';
import { sha256 } from './sha256.ts';
import { unixSeconds } from './unixSeconds.ts';
import { type BlockPlace, UtxoRowBuilder } from './utxoRowBuilder.ts';
import type { InputRow, OutputRow } from './utxoRows.ts';
import { decodeXBlock } from './xBlock.ts';
import { decodeXTx, type XOperation, type XOutput, type XTx } from './xTransactions.ts';

/** A block of the X-Chain. */
export interface XBlockRow extends EnvelopeRow {
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

/** The rows of transactions of the X-Chain, in a block or on their own. */
export interface XTransactionRows {
  readonly transactions: readonly XTransactionRow[];
  readonly inputs: readonly InputRow[];
  readonly outputs: readonly OutputRow[];
}

/** The rows of one container of the index X/block. */
export interface XContainerRows extends XTransactionRows {
  readonly chain: 'X';
  readonly block: XBlockRow;
}

export function xContainerRows(envelope: Envelope, hrp: string): XContainerRows {
  const block = decodeXBlock(envelope.inner);
  const id = sha256(envelope.inner);
  const height = safeInteger(block.height, 'height');
  const timestamp = unixSeconds(block.time, 'time of the block');
  return {
    chain: 'X',
    block: {
      height,
      block_id: encodeCb58(id),
      parent_id: encodeCb58(block.parentID),
      block_type: block.type,
      timestamp,
      merkle_root: cachedCb58(block.merkleRoot),
      transaction_count: block.txs.length,
      size: envelope.inner.length,
      ...envelopeRow(envelope, id, block.parentID),
    },
    ...xTransactionRows(block.txs, { height, timestamp, hrp }),
  };
}

/** The rows of one container of the index X/tx: a bare transaction with its codec version. */
export function xLooseTransactionRows(bytes: Uint8Array, hrp: string): XTransactionRows {
  return xTransactionRows([decodeXTx(bytes)], { height: null, timestamp: null, hrp });
}

export function xTransactionRows(txs: readonly XTx[], place: BlockPlace): XTransactionRows {
  const rows = new UtxoRowBuilder(place);
  const transactions = txs.map((tx, position) => transactionRow(tx, position, place, rows));
  return { transactions, inputs: rows.inputs, outputs: rows.outputs };
}

function transactionRow(tx: XTx, position: number, place: BlockPlace, rows: UtxoRowBuilder): XTransactionRow {
  const unsigned = tx.unsignedTx;
  const txId = rows.begin(tx);
  const own = unsigned.blockchainID;
  rows.spend('input', own, unsigned.inputs);
  rows.make('output', own, unsigned.outputs);
  switch (unsigned.type) {
    case 'ImportTx':
      rows.spend('imported', unsigned.sourceChain, unsigned.importedInputs);
      break;
    case 'ExportTx':
      rows.make('exported', unsigned.destinationChain, unsigned.exportedOutputs);
      break;
    case 'CreateAssetTx':
      for (const state of unsigned.initialStates) {
        for (const output of state.outputs) rows.makeOne('initial_state', own, tx.id, output);
      }
      break;
    case 'OperationTx':
      unsigned.operations.forEach(({ assetID, inputIDs, operation }, index) => {
        rows.operate({
          type: operation.type,
          chain: own,
          assetID,
          inputIDs,
          signatureIndices: operationInput(operation).signatureIndices,
          credentialIndex: unsigned.inputs.length + index,
        });
        for (const output of operationOutputs(operation)) rows.makeOne('operation', own, assetID, output);
      });
      break;
    case 'BaseTx':
      break;
  }
  const asset = unsigned.type === 'CreateAssetTx' ? unsigned : null;
  return {
    position,
    tx_id: txId,
    tx_type: unsigned.type,
    block_height: place.height,
    block_timestamp: place.timestamp,
    network_id: unsigned.networkID,
    blockchain_id: cachedCb58(own),
    memo: toHex(unsigned.memo),
    source_chain_id: unsigned.type === 'ImportTx' ? cachedCb58(unsigned.sourceChain) : null,
    destination_chain_id: unsigned.type === 'ExportTx' ? cachedCb58(unsigned.destinationChain) : null,
    asset_name: asset?.name.toString('utf8') ?? null,
    asset_symbol: asset?.symbol.toString('utf8') ?? null,
    asset_denomination: asset?.denomination ?? null,
  };
}

function operationInput(operation: XOperation): { readonly signatureIndices: readonly number[] } {
  if ('mintInput' in operation) return operation.mintInput;
  return 'input' in operation ? operation.input : operation;
}

/** The outputs that an operation makes, in the order of their indexes. */
function operationOutputs(operation: XOperation): readonly XOutput[] {
  switch (operation.type) {
    case 'MintOperation':
      return [
        { type: 'MintOutput', ...operation.mintOutput },
        { type: 'TransferOutput', ...operation.transferOutput },
      ];
    case 'NftMintOperation': {
      const { groupID, payload } = operation;
      return operation.outputs.map((owner) => ({ type: 'NftTransferOutput', groupID, payload, ...owner }));
    }
    case 'NftTransferOperation':
      return [{ type: 'NftTransferOutput', ...operation.output }];
    case 'PropertyMintOperation':
      return [
        { type: 'PropertyMintOutput', ...operation.mintOutput },
        { type: 'PropertyOwnedOutput', ...operation.ownedOutput },
      ];
    case 'PropertyBurnOperation':
      return [];
  }
}
