import { takeMemory } from '../../core/rows/answerMemory.ts';

/** Bytes gathered one piece after the other. */
export interface Gathered {
  readonly length: number;
  add(chunk: Buffer): void;
  bytes(): Buffer;
  /** The bytes in memory that stays when the rest is freed. */
  kept(): Buffer;
  /** Gives large memory back at once, not when the garbage collector comes to it: what `bytes` gave is then empty. */
  free(): void;
}

/** Below this, pieces are joined at the end: a mapping of its own costs more than it spares. */
const large = 4 * 2 ** 20;

/** @param most bytes at most: more must not be added */
export function createGathered(most: number): Gathered {
  let chunks: Buffer[] = [];
  let memory: ArrayBuffer | undefined;
  let length = 0;
  const put = (chunk: Buffer, to: ArrayBuffer) => {
    if (length + chunk.length > to.byteLength)
      to.resize(Math.min(most, Math.max(2 * to.byteLength, length + chunk.length)));
    new Uint8Array(to).set(chunk, length);
    length += chunk.length;
  };
  return {
    get length() {
      return length;
    },
    add(chunk) {
      if (memory) return put(chunk, memory);
      chunks.push(chunk);
      length += chunk.length;
      if (length <= large) return;
      // Reserved address space: memory is taken only as it is filled.
      memory = new ArrayBuffer(0, { maxByteLength: most });
      length = 0;
      for (const before of chunks) put(before, memory);
      chunks = [];
    },
    bytes() {
      if (memory) return Buffer.from(memory, 0, length);
      return chunks.length === 1 && chunks[0] ? chunks[0] : joined(chunks, length);
    },
    kept() {
      return memory ? joined([this.bytes()], length) : this.bytes();
    },
    free() {
      memory?.resize(0);
      chunks = [];
    },
  };
}

function joined(chunks: readonly Buffer[], length: number): Buffer {
  const bytes = takeMemory(length);
  let end = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, end);
    end += chunk.length;
  }
  return bytes;
}
