import fc from 'fast-check';
import type { RlpReader } from '../../../src/decode/evm/rlpReader.ts';
import { rlpList, rlpString } from '../../../src/decode/evm/rlpWriter.ts';

type Tree = Uint8Array | Tree[];

/** Whatever RLP can hold. */
export const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof({ maxDepth: 4 }, fc.uint8Array({ maxLength: 70 }), fc.array(tie('tree'), { maxLength: 6 })),
}));

export const writeTree = (value: Tree): Buffer =>
  Array.isArray(value) ? rlpList(value.map(writeTree)) : rlpString(value);

export function readTree(reader: RlpReader): Tree {
  if (!reader.atList) return reader.string('item');
  const items = reader.list('item');
  const list: Tree[] = [];
  while (!items.done) list.push(readTree(items));
  return list;
}
