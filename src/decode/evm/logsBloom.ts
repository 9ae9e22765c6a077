import { Buffer } from 'node:buffer';
import { keccak256 } from '../bytes/hashes.ts';

const limit = 65_536;
const known = new Map<string, readonly number[]>();

/** The part of a log that its bloom filter is made of; lower-case `0x` hex. */
interface FilteredLog {
  readonly address: string;
  readonly topics: readonly string[];
}

/** Bloom filter (256 bytes) of logs: three bits for each address and each topic. */
export function logsBloom(logs: readonly FilteredLog[]): Buffer {
  const bloom = Buffer.alloc(256);
  for (const { address, topics } of logs) {
    setBits(bloom, address);
    for (const topic of topics) setBits(bloom, topic);
  }
  return bloom;
}

function setBits(bloom: Buffer, item: string): void {
  for (const bit of bitsOf(item)) {
    const at = 255 - (bit >> 3);
    bloom[at] = (bloom[at] ?? 0) | (1 << (bit & 7));
  }
}

/** The same contracts and events come again and again: a look-up instead of a hash. */
function bitsOf(item: string): readonly number[] {
  const seen = known.get(item);
  if (seen) return seen;
  const hash = keccak256(Buffer.from(item.slice(2), 'hex'));
  const bits = [0, 2, 4].map((at) => hash.readUInt16BE(at) & 2047);
  if (known.size >= limit) known.clear();
  known.set(item, bits);
  return bits;
}
