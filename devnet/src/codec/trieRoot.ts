import { keccak256 } from './hashes.ts';
import { rlpBytes, rlpList, rlpQuantity } from './rlp.ts';

/** Hex digits of a key that are still to be walked, and what stands at its end. */
type Leaf = readonly [path: string, value: Uint8Array];

/** `0x` root of the trie in which a header has a list: each value under the RLP of its place. */
export function trieRoot(values: readonly Uint8Array[]): string {
  const leaves = values.map((value, at): Leaf => [rlpQuantity(`0x${at.toString(16)}`).toString('hex'), value]);
  const root = leaves.length === 0 ? Buffer.of(0x80) : encode(leaves);
  return `0x${Buffer.from(keccak256(root)).toString('hex')}`;
}

function encode(leaves: readonly Leaf[]): Buffer {
  const [[path, value]] = leaves as [Leaf];
  if (leaves.length === 1) return rlpList([rlpBytes(packed(path, true)), rlpBytes(value)]);
  const same = [...path].findIndex((digit, at) => leaves.some(([other]) => other[at] !== digit));
  if (same > 0) return rlpList([rlpBytes(packed(path.slice(0, same), false)), inside(cut(leaves, same))]);
  const branches = [...'0123456789abcdef'].map((digit) => {
    const below = leaves.filter(([other]) => other.startsWith(digit));
    return below.length === 0 ? Buffer.of(0x80) : inside(cut(below, 1));
  });
  return rlpList([...branches, Buffer.of(0x80)]);
}

const cut = (leaves: readonly Leaf[], digits: number): Leaf[] =>
  leaves.map(([path, value]) => [path.slice(digits), value]);

/** A node in its parent: itself where it has fewer than 32 bytes, else its hash. */
function inside(leaves: readonly Leaf[]): Buffer {
  const node = encode(leaves);
  return node.length < 32 ? node : rlpBytes(keccak256(node));
}

/** A path with a digit before it that says whether it is even and whether it ends here. */
function packed(path: string, ends: boolean): Buffer {
  const flag = (ends ? 2 : 0) + (path.length % 2);
  return Buffer.from(path.length % 2 === 1 ? `${flag}${path}` : `${flag}0${path}`, 'hex');
}
