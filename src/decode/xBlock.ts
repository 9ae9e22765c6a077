import { ByteReader } from './byteReader.ts';
import { id, list, u64, union, type ValueOf } from './codec.ts';
import { readCodecVersion } from './signedTx.ts';
import { xTx } from './xTransactions.ts';

/** The X-Chain's only kind of block (since Cortina; before there were vertices). `time` is Unix seconds. */
export const xBlock = union('X-Chain block', {
  StandardBlock: [20, { parentID: id, height: u64, time: u64, merkleRoot: id, txs: list(xTx) }],
});

export type XBlock = ValueOf<typeof xBlock>;

/** Decodes a bare X-Chain block (without envelope, with codec version). */
export function decodeXBlock(bytes: Uint8Array): XBlock {
  const reader = new ByteReader(bytes);
  readCodecVersion(reader, 'the X-Chain block');
  const block = xBlock.read(reader, 'the block');
  reader.end('the X-Chain block');
  return block;
}
