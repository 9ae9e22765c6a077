import { ByteReader } from './byteReader.ts';
import { encodeCb58 } from './cb58.ts';
import { id, type Json, type JsonView, list, u64, union, type ValueOf } from './codec.ts';
import { sha256 } from './hashes.ts';
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

/** The block as `avm.getBlock` gives it in JSON. `bytes` are the bare block's, whose SHA-256 is the id. */
export function xBlockJson(block: XBlock, bytes: Uint8Array, hrp: string): Json {
  const view: JsonView = { chain: 'X', hrp };
  return { ...(xBlock.json(block, view) as Record<string, Json>), id: encodeCb58(sha256(bytes)) };
}
