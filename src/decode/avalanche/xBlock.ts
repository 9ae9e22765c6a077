import { id, list, u64, union, type ValueOf } from './codec.ts';
import { readWhole } from './signedTx.ts';
import { xTx } from './xTransactions.ts';

/** The X-Chain's only kind of block (since Cortina; before there were vertices). `time` is Unix seconds. */
export const xBlock = union('X-Chain block', {
  StandardBlock: [20, { parentID: id, height: u64, time: u64, merkleRoot: id, txs: list(xTx) }],
});

export type XBlock = ValueOf<typeof xBlock>;

/** Decodes a bare X-Chain block (without envelope, with codec version). */
export const decodeXBlock = (bytes: Uint8Array): XBlock => readWhole(bytes, xBlock, 'the X-Chain block', 'the block');
