import { cachedCb58 } from './cachedCb58.ts';
import { encodeCb58 } from './cb58.ts';
import { envelopeRow } from './envelopeRow.ts';
import { toHex } from './hex.ts';
import type { Envelope } from './proposervm.ts';
import { safeInteger } from './safeInteger.ts';
import { sha256 } from './sha256.ts';
import { unixSeconds } from './unixSeconds.ts';
import { type BlockPlace, UtxoRowBuilder } from './utxoRowBuilder.ts';
import { decodeXBlock } from './xBlock.ts';
import type { XContainerRows, XTransactionRow } from './xRows.ts';
import { decodeXTx, type XOperation, type XOutput, type XTx } from './xTransactions.ts';
import { decodeXVertex } from './xVertex.ts';

/** Rows of a container of the index X/block. */
export function xBlockRows(envelope: Envelope, hrp: string): XContainerRows {
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
    vertex: null,
    ...transactionRows(block.txs, { height, timestamp, hrp }),
  };
}

/** Rows of a container of the index X/vtx. */
export function xVertexRows(bytes: Uint8Array, hrp: string): XContainerRows {
  const vertex = decodeXVertex(bytes);
  const txs = (vertex.txs ?? []).map(decodeXTx);
  return {
    chain: 'X',
    block: null,
    vertex: {
      vertex_id: encodeCb58(sha256(bytes)),
      height: safeInteger(vertex.height, 'height'),
      parent_ids: vertex.parentIDs.map(encodeCb58),
      is_stop: vertex.txs === null,
      transaction_count: txs.length,
      size: bytes.length,
    },
    ...transactionRows(txs, { height: null, timestamp: null, hrp }),
  };
}

/** Rows of a container of the index X/tx: one bare transaction. */
export function xTransactionRows(bytes: Uint8Array, hrp: string): XContainerRows {
  const place = { height: null, timestamp: null, hrp };
  return { chain: 'X', block: null, vertex: null, ...transactionRows([decodeXTx(bytes)], place) };
}

function transactionRows(txs: readonly XTx[], place: BlockPlace) {
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
