import { jsonText } from '../core/columns.ts';
import { cachedCb58 } from './cachedCb58.ts';
import { encodeCb58 } from './cb58.ts';
import type { Json } from './codec.ts';
import { envelopeRow } from './envelopeRow.ts';
import { toHex } from './hex.ts';
import { encodeNodeId } from './nodeId.ts';
import { decodePBlock, type PBlock } from './pBlock.ts';
import { pDetailRows } from './pDetailRows.ts';
import type { PContainerRows, PTransactionRow } from './pRows.ts';
import { PRIMARY_NETWORK } from './primaryNetwork.ts';
import type { Envelope } from './proposervm.ts';
import { type PTx, type PUnsignedTx, pUnsignedTx } from './pTransactions.ts';
import { safeInteger } from './safeInteger.ts';
import { sha256 } from './sha256.ts';
import { unixSeconds } from './unixSeconds.ts';
import { type BlockPlace, UtxoRowBuilder } from './utxoRowBuilder.ts';

export function pContainerRows(envelope: Envelope, hrp: string): PContainerRows {
  const block = decodePBlock(envelope.inner);
  const id = sha256(envelope.inner);
  const height = safeInteger(block.height, 'height');
  const timestamp = 'time' in block ? unixSeconds(block.time, 'time of the block') : null;
  const place = { height, timestamp, hrp };
  const txs = transactionsOf(block);
  const rows = new UtxoRowBuilder(place);
  const proposal = 'tx' in block && block.type !== 'ApricotAtomicBlock' ? block.tx : null;
  return {
    chain: 'P',
    block: {
      height,
      block_id: encodeCb58(id),
      parent_id: encodeCb58(block.parentID),
      block_type: block.type,
      timestamp,
      transaction_count: txs.length,
      size: envelope.inner.length,
      ...envelopeRow(envelope, id, block.parentID),
    },
    transactions: txs.map((tx, position) => transactionRow(tx, position, tx === proposal, place, rows)),
    inputs: rows.inputs,
    outputs: rows.outputs,
    ...pDetailRows(txs, place),
  };
}

function transactionsOf(block: PBlock): readonly PTx[] {
  const listed = 'txs' in block ? block.txs : [];
  return 'tx' in block ? [...listed, block.tx] : listed;
}

function transactionRow(
  tx: PTx,
  position: number,
  isProposal: boolean,
  place: BlockPlace & { height: number },
  rows: UtxoRowBuilder,
): PTransactionRow {
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
  return {
    position,
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
  };
}

function subnetOf(unsigned: PUnsignedTx): string | null {
  if ('subnetID' in unsigned) return cachedCb58(unsigned.subnetID);
  if (unsigned.type === 'AddSubnetValidatorTx') return cachedCb58(unsigned.validator.subnetID);
  return 'stake' in unsigned ? cachedCb58(PRIMARY_NETWORK) : null;
}

function nodeOf(unsigned: PUnsignedTx): string | null {
  if ('validator' in unsigned) return encodeNodeId(unsigned.validator.nodeID);
  return 'nodeID' in unsigned ? encodeNodeId(unsigned.nodeID) : null;
}

function chainTime(unsigned: PUnsignedTx): number | null {
  if (unsigned.type === 'AdvanceTimeTx') return unixSeconds(unsigned.time, 'new chain time');
  return unsigned.type === 'RewardAutoRenewedValidatorTx' ? unixSeconds(unsigned.timestamp, 'end of the cycle') : null;
}

const SHARED = new Set([
  'networkID',
  'blockchainID',
  'outputs',
  'inputs',
  'memo',
  'stake',
  'importedInputs',
  'exportedOutputs',
]);
const TRANSFERS = new Set(['BaseTx', 'ImportTx', 'ExportTx']);

function details(unsigned: PUnsignedTx, hrp: string): string | null {
  if (TRANSFERS.has(unsigned.type)) return null;
  const json = pUnsignedTx.json(unsigned, { chain: 'P', hrp }) as Record<string, Json>;
  return jsonText(Object.fromEntries(Object.entries(json).filter(([name]) => !SHARED.has(name))));
}
