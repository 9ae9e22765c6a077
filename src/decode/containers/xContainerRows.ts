import { z } from 'zod';
import { boolean, hex, int32, int64, optional, text, texts, unixSeconds } from '../../core/columns/columns.ts';
import { rowAppender } from '../../core/rows/rowWriter.ts';
import type { Envelope } from '../avalanche/envelope.ts';
import { decodeXBlock } from '../avalanche/xBlock.ts';
import { decodeXTx, type XOperation, type XOutput, type XTx } from '../avalanche/xTransactions.ts';
import { decodeXVertex } from '../avalanche/xVertex.ts';
import { cachedCb58, encodeCb58 } from '../bytes/cb58.ts';
import { sha256 } from '../bytes/hashes.ts';
import { toHex } from '../bytes/hex.ts';
import { blockTime, safeInteger } from '../bytes/numbers.ts';
import type { BlockPlace } from '../utxos/utxoPlace.ts';
import { UtxoRowBuilder } from '../utxos/utxoRowBuilder.ts';
import type { ContainerRows } from './containerRows.ts';
import type { DecodedIds } from './decodedIds.ts';
import { envelopeColumns, envelopeRow } from './envelopeRow.ts';

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
  ...envelopeColumns,
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

const appendBlock = rowAppender(xBlock);
const appendVertex = rowAppender(xVertex);
const appendTransaction = rowAppender(xTransaction);

/** Adds the rows of a container of the index X/block. */
export function addXBlock(container: Envelope, hrp: string, into: ContainerRows): DecodedIds {
  const block = decodeXBlock(container.inner);
  const id = sha256(container.inner);
  const height = safeInteger(block.height, 'height');
  const timestamp = blockTime(block.time, 'time of the block');
  const envelope = envelopeRow(container, id, block.parentID);
  appendBlock(into.containers_x_blocks, {
    height,
    block_id: cachedCb58(id),
    parent_id: cachedCb58(block.parentID),
    block_type: block.type,
    timestamp,
    merkle_root: cachedCb58(block.merkleRoot),
    transaction_count: block.txs.length,
    size: container.inner.length,
    ...envelope,
  });
  addTransactions(block.txs, { height, timestamp, hrp }, into);
  return { id: envelope.container_id, parentId: envelope.container_parent_id };
}

/** Adds the rows of a container of the index X/vtx. */
export function addXVertex(bytes: Uint8Array, hrp: string, into: ContainerRows): DecodedIds {
  const vertex = decodeXVertex(bytes);
  const txs = (vertex.txs ?? []).map(decodeXTx);
  const id = encodeCb58(sha256(bytes));
  appendVertex(into.containers_x_vertices, {
    vertex_id: id,
    height: safeInteger(vertex.height, 'height'),
    parent_ids: vertex.parentIDs.map(encodeCb58),
    is_stop: vertex.txs === null,
    transaction_count: txs.length,
    size: bytes.length,
  });
  addTransactions(txs, { height: null, timestamp: null, hrp }, into);
  return { id, parentId: null };
}

/** Adds the rows of a container of the index X/tx: one bare transaction. */
export function addXTransaction(bytes: Uint8Array, hrp: string, into: ContainerRows): DecodedIds {
  const tx = decodeXTx(bytes);
  addTransactions([tx], { height: null, timestamp: null, hrp }, into);
  return { id: encodeCb58(tx.id), parentId: null };
}

function addTransactions(txs: readonly XTx[], place: BlockPlace, into: ContainerRows): void {
  const rows = new UtxoRowBuilder(place, into.containers_x_inputs, into.containers_x_outputs);
  for (const tx of txs) addTransaction(tx, place, rows, into);
}

function addTransaction(tx: XTx, place: BlockPlace, rows: UtxoRowBuilder, into: ContainerRows): void {
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
  appendTransaction(into.containers_x_transactions, {
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
  });
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
