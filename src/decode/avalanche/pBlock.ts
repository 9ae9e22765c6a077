import { encodeCb58 } from '../bytes/cb58.ts';
import { sha256 } from '../bytes/hashes.ts';
import { id, type Json, type JsonView, list, u64, union, type ValueOf } from './codec.ts';
import { type PTx, pTx } from './pTransactions.ts';
import { readWhole } from './signedTx.ts';

const common = { parentID: id, height: u64 } as const;

/**
 * Every form of a P-Chain block, by type id. A proposal is decided by its child: commit or abort. Apricot blocks carry no
 * time; `time` is Unix seconds.
 */
export const pBlock = union('P-Chain block', {
  ApricotProposalBlock: [0, { ...common, tx: pTx }],
  ApricotAbortBlock: [1, common],
  ApricotCommitBlock: [2, common],
  ApricotStandardBlock: [3, { ...common, txs: list(pTx) }],
  ApricotAtomicBlock: [4, { ...common, tx: pTx }],
  BanffProposalBlock: [29, { time: u64, txs: list(pTx), ...common, tx: pTx }],
  BanffAbortBlock: [30, { time: u64, ...common }],
  BanffCommitBlock: [31, { time: u64, ...common }],
  BanffStandardBlock: [32, { time: u64, ...common, txs: list(pTx) }],
});

export type PBlock = ValueOf<typeof pBlock>;

/** Decodes a bare P-Chain block (without envelope, with codec version). */
export const decodePBlock = (bytes: Uint8Array): PBlock => readWhole(bytes, pBlock, 'the P-Chain block', 'the block');

/** The block as `platform.getBlock` gives it in JSON. `bytes` are the bare block's, whose SHA-256 is the id. */
export function pBlockJson(block: PBlock, bytes: Uint8Array, hrp: string): Json {
  const view: JsonView = { chain: 'P', hrp };
  return { ...(pBlock.json(block, view) as Record<string, Json>), id: encodeCb58(sha256(bytes)) };
}

/** The transactions of a block; a proposal's comes last. */
export function pTransactionsOf(block: PBlock): readonly PTx[] {
  const listed = 'txs' in block ? block.txs : [];
  return 'tx' in block ? [...listed, block.tx] : listed;
}
