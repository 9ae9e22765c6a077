import { z } from 'zod';
import { boolean, hex, int32, int64, json, optional, text, unixSeconds } from '../../core/columns/columns.ts';
import { jsonText } from '../../core/json/jsonText.ts';
import { rowAppender } from '../../core/rows/rowWriter.ts';
import { primaryNetworkId } from '../../core/stream/network.ts';
import type { Json } from '../avalanche/codec.ts';
import type { Envelope } from '../avalanche/envelope.ts';
import { decodePBlock, pTransactionsOf } from '../avalanche/pBlock.ts';
import { type PTx, type PUnsignedTx, primaryNetwork, pUnsignedTx } from '../avalanche/pTransactions.ts';
import { cachedCb58, encodeCb58 } from '../bytes/cb58.ts';
import { sha256 } from '../bytes/hashes.ts';
import { toHex } from '../bytes/hex.ts';
import { encodeNodeId } from '../bytes/nodeId.ts';
import { blockTime, safeInteger } from '../bytes/numbers.ts';
import type { BlockPlace } from '../utxos/utxoPlace.ts';
import { UtxoRowBuilder } from '../utxos/utxoRowBuilder.ts';
import { addBlockchain } from './blockchainRow.ts';
import type { ContainerRows } from './containerRows.ts';
import type { DecodedIds } from './decodedIds.ts';
import { envelopeColumns, envelopeRow } from './envelopeRow.ts';
import { addL1Validators } from './l1ValidatorRows.ts';
import { addStaking } from './stakingRow.ts';
import { addSubnet } from './subnetRow.ts';

/** A P-Chain block. */
export const pBlock = z.object({
  height: int64('Height.'),
  block_id: text('Id of the inner block (cb58), which platform.getBlock takes.'),
  parent_id: text("The parent's inner block id (cb58)."),
  block_type: text('ApricotProposalBlock to BanffStandardBlock.'),
  timestamp: optional(unixSeconds('Block time; NULL in Apricot blocks, which carry none.')),
  transaction_count: int32('Transactions.'),
  size: int64('Size of the inner block.', 'bytes'),
  ...envelopeColumns,
});

/** A P-Chain transaction; NULL where its type has no such member. */
export const pTransaction = z.object({
  tx_id: text('Transaction id (cb58).'),
  tx_type: text('AddValidatorTx to RewardAutoRenewedValidatorTx.'),
  block_height: int64('Height of the block.'),
  block_timestamp: optional(unixSeconds('Block time; NULL in Apricot blocks.')),
  is_proposal: boolean('Whether the next block, a commit or an abort, decides about it.'),
  network_id: optional(int64('Network id inside the transaction.')),
  blockchain_id: optional(text('Chain inside the transaction (cb58).')),
  memo: optional(hex('Memo.')),
  source_chain_id: optional(text('Of an import: where from (cb58).')),
  destination_chain_id: optional(text('Of an export: where to (cb58).')),
  subnet_id: optional(text(`Subnet it is about (cb58); ${primaryNetworkId} is the Primary Network.`)),
  node_id: optional(text('NodeID of the validator it is about.')),
  staking_tx_id: optional(text('Staking transaction that it rewards or configures (cb58).')),
  chain_time: optional(unixSeconds('New chain time (AdvanceTimeTx), or end of a cycle.')),
  details: optional(json('Members that only this type has, as the node names them; NULL for transfers.')),
});

const appendBlock = rowAppender(pBlock);
const appendTransaction = rowAppender(pTransaction);

/** Adds the rows of a P-Chain block. */
export function addPContainer(container: Envelope, hrp: string, into: ContainerRows): DecodedIds {
  const block = decodePBlock(container.inner);
  const id = sha256(container.inner);
  const height = safeInteger(block.height, 'height');
  const timestamp = 'time' in block ? blockTime(block.time, 'time of the block') : null;
  const txs = pTransactionsOf(block);
  const envelope = envelopeRow(container, id, block.parentID);
  appendBlock(into.containers_p_blocks, {
    height,
    block_id: cachedCb58(id),
    parent_id: cachedCb58(block.parentID),
    block_type: block.type,
    timestamp,
    transaction_count: txs.length,
    size: container.inner.length,
    ...envelope,
  });
  const place = { height, timestamp, hrp };
  const rows = new UtxoRowBuilder(place, into.containers_p_inputs, into.containers_p_outputs);
  const proposal = 'tx' in block && block.type !== 'ApricotAtomicBlock' ? block.tx : null;
  for (const tx of txs) addTransaction(tx, tx === proposal, place, rows, into);
  return { id: envelope.container_id, parentId: envelope.container_parent_id };
}

function addTransaction(
  tx: PTx,
  isProposal: boolean,
  place: BlockPlace & { height: number },
  rows: UtxoRowBuilder,
  into: ContainerRows,
): void {
  const unsigned = tx.unsignedTx;
  const txId = rows.begin(tx);
  const chained = 'blockchainID' in unsigned ? unsigned : null;
  if (chained) {
    rows.spend('input', chained.blockchainID, chained.inputs);
    rows.make('output', chained.blockchainID, chained.outputs);
    if ('stake' in chained) rows.make('stake', chained.blockchainID, chained.stake);
  }
  if (unsigned.type === 'ImportTx') rows.spend('imported', unsigned.sourceChain, unsigned.importedInputs);
  if (unsigned.type === 'ExportTx') rows.make('exported', unsigned.destinationChain, unsigned.exportedOutputs);
  appendTransaction(into.containers_p_transactions, {
    tx_id: txId,
    tx_type: unsigned.type,
    block_height: place.height,
    block_timestamp: place.timestamp,
    is_proposal: isProposal,
    network_id: chained?.networkID ?? null,
    blockchain_id: chained && cachedCb58(chained.blockchainID),
    memo: chained && toHex(chained.memo),
    source_chain_id: unsigned.type === 'ImportTx' ? cachedCb58(unsigned.sourceChain) : null,
    destination_chain_id: unsigned.type === 'ExportTx' ? cachedCb58(unsigned.destinationChain) : null,
    subnet_id: subnetOf(unsigned),
    node_id: nodeOf(unsigned),
    staking_tx_id: 'txID' in unsigned ? encodeCb58(unsigned.txID) : null,
    chain_time: chainTime(unsigned),
    details: details(unsigned, place.hrp),
  });
  if (transfers.has(unsigned.type)) return;
  addStaking(tx, txId, place, into.containers_p_staking);
  addSubnet(tx, txId, place, into.containers_p_subnets);
  addBlockchain(tx, txId, place, into.containers_p_blockchains);
  addL1Validators(tx, txId, place, into.containers_p_l1_validators);
}

function subnetOf(unsigned: PUnsignedTx): string | null {
  if ('subnetID' in unsigned) return cachedCb58(unsigned.subnetID);
  if (unsigned.type === 'AddSubnetValidatorTx') return cachedCb58(unsigned.validator.subnetID);
  return 'stake' in unsigned ? cachedCb58(primaryNetwork) : null;
}

function nodeOf(unsigned: PUnsignedTx): string | null {
  if ('validator' in unsigned) return encodeNodeId(unsigned.validator.nodeID);
  return 'nodeID' in unsigned ? encodeNodeId(unsigned.nodeID) : null;
}

function chainTime(unsigned: PUnsignedTx): number | null {
  if (unsigned.type === 'AdvanceTimeTx') return blockTime(unsigned.time, 'new chain time');
  return unsigned.type === 'RewardAutoRenewedValidatorTx' ? blockTime(unsigned.timestamp, 'end of the cycle') : null;
}

const shared = new Set([
  'networkID',
  'blockchainID',
  'outputs',
  'inputs',
  'memo',
  'stake',
  'importedInputs',
  'exportedOutputs',
]);
const transfers = new Set(['BaseTx', 'ImportTx', 'ExportTx']);

function details(unsigned: PUnsignedTx, hrp: string): string | null {
  if (transfers.has(unsigned.type)) return null;
  const json = pUnsignedTx.json(unsigned, { chain: 'P', hrp }) as Record<string, Json>;
  return jsonText(Object.fromEntries(Object.entries(json).filter(([name]) => !shared.has(name))));
}
