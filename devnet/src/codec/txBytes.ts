import { createHash } from 'node:crypto';
import { fromCb58 } from './cb58.ts';

/** Where transactions stand in a block, by codec type id: bytes before the list, and bytes between the list and a single one. */
const layouts: Readonly<Record<number, { readonly list?: number; readonly single?: number }>> = {
  0: { single: 40 },
  3: { list: 40 },
  4: { single: 40 },
  20: { list: 80 },
  29: { list: 8, single: 40 },
  32: { list: 48 },
};

/**
 * The bytes of one transaction (codec version included) cut out of a P-Chain or X-Chain block. No transaction codec is needed: a
 * transaction is the run of bytes whose sha256, after the codec version, is its id. Returns null if the id is not in the block.
 */
export function txBytes(block: Uint8Array, ids: readonly string[], wanted: string): Uint8Array | null {
  const bytes = Buffer.from(block);
  const layout = layouts[bytes.readUInt32BE(2)];
  if (layout === undefined) return null;
  let at = 6;
  const left = new Set(ids.map(digestOf));
  const target = digestOf(wanted);
  if (layout.list !== undefined) {
    at += layout.list + 4;
    for (let count = bytes.readUInt32BE(at - 4); count > 0; count--) {
      const found = nextTx(bytes, at, left);
      if (found === null) return null;
      if (found.digest === target) return withVersion(bytes.subarray(at, found.end));
      left.delete(found.digest);
      at = found.end;
    }
  }
  if (layout.single === undefined) return null;
  const found = nextTx(bytes, at + layout.single, left);
  return found?.digest === target ? withVersion(bytes.subarray(at + layout.single, found.end)) : null;
}

function nextTx(bytes: Buffer, start: number, digests: ReadonlySet<string>): { digest: string; end: number } | null {
  const hash = createHash('sha256').update(Buffer.of(0, 0));
  for (let end = start; end < bytes.length; end++) {
    hash.update(bytes.subarray(end, end + 1));
    const digest = hash.copy().digest('binary');
    if (digests.has(digest)) return { digest, end: end + 1 };
  }
  return null;
}

function digestOf(id: string): string {
  return Buffer.from(fromCb58(id)).toString('binary');
}

function withVersion(tx: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.of(0, 0), tx]);
}
