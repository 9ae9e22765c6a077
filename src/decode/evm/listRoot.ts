import { Buffer } from 'node:buffer';
import { keccak256 } from '../bytes/hashes.ts';
import { rlpList, rlpString, rlpUint } from './rlpWriter.ts';

const nothing = Buffer.of(0x80);

/** A value under its key, one nibble an element. */
interface Entry {
  readonly nibbles: readonly number[];
  readonly value: Uint8Array;
}

/**
 * Root of the Merkle Patricia trie that a block header gives for a list: the key of each value is the RLP of its place.
 * 32 bytes; for no values keccak256 of the RLP of nothing.
 */
export function listRoot(values: readonly Uint8Array[]): Buffer {
  if (values.length === 0) return keccak256(nothing);
  const entries = values.map((value, i) => ({ key: rlpUint(BigInt(i)), value }));
  entries.sort((a, b) => Buffer.compare(a.key, b.key));
  return keccak256(
    node(
      entries.map(({ key, value }) => ({ nibbles: nibblesOf(key), value })),
      0,
    ),
  );
}

/** RLP of the node that holds `entries` (sorted), which agree in their first `depth` nibbles. No key is the beginning of another. */
function node(entries: readonly Entry[], depth: number): Buffer {
  const [first] = entries as [Entry];
  const last = entries.at(-1) as Entry;
  if (entries.length === 1)
    return rlpList([rlpString(compact(first.nibbles.slice(depth), true)), rlpString(first.value)]);
  let shared = depth;
  while (first.nibbles[shared] === last.nibbles[shared]) shared++;
  if (shared > depth) {
    const path = compact(first.nibbles.slice(depth, shared), false);
    return rlpList([rlpString(path), reference(node(entries, shared))]);
  }
  const children: Buffer[] = [];
  let start = 0;
  for (let nibble = 0; nibble < 16; nibble++) {
    let end = start;
    while (entries[end]?.nibbles[depth] === nibble) end++;
    children.push(end === start ? nothing : reference(node(entries.slice(start, end), depth + 1)));
    start = end;
  }
  return rlpList([...children, nothing]);
}

/** A node inside another one: itself where it is short, else its hash. */
const reference = (encoded: Buffer) => (encoded.length < 32 ? encoded : rlpString(keccak256(encoded)));

/** Hex-prefix encoding of a path; a leaf ends here. */
function compact(nibbles: readonly number[], isLeaf: boolean): Buffer {
  const odd = nibbles.length % 2;
  const flag = (isLeaf ? 2 : 0) + odd;
  const all = odd ? [flag, ...nibbles] : [flag, 0, ...nibbles];
  const bytes = Buffer.alloc(all.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = ((all[2 * i] ?? 0) << 4) | (all[2 * i + 1] ?? 0);
  return bytes;
}

function nibblesOf(key: Buffer): number[] {
  const nibbles: number[] = [];
  for (const byte of key) nibbles.push(byte >> 4, byte & 15);
  return nibbles;
}
