/** Shorter answers are left to the garbage collector. */
const leastBytes = 1 << 15;
/** Bytes that are kept for later answers. */
const mostKept = 8e6;

/** Memory for answers that is used again. */
export interface AnswerMemory {
  /** Memory for an answer, not cleared. */
  take(bytes: number): Buffer;
  /** Gives memory back that nobody looks at any more. What is not from here, or was given back before, is left alone. */
  give(memory: Uint8Array): void;
}

export function createAnswerMemory(): AnswerMemory {
  const free = new Map<number, ArrayBufferLike[]>();
  const taken = new WeakSet<ArrayBufferLike>();
  let kept = 0;
  return {
    take(bytes) {
      if (bytes < leastBytes) return Buffer.allocUnsafeSlow(bytes);
      const size = sizeFor(bytes);
      const known = free.get(size)?.pop();
      if (known) kept -= size;
      const memory = known ?? Buffer.allocUnsafeSlow(size).buffer;
      taken.add(memory);
      return Buffer.from(memory, 0, bytes);
    },
    give({ buffer }) {
      if (!taken.delete(buffer) || kept + buffer.byteLength > mostKept) return;
      kept += buffer.byteLength;
      const alike = free.get(buffer.byteLength);
      if (alike) alike.push(buffer);
      else free.set(buffer.byteLength, [buffer]);
    },
  };
}

/**
 * What all answers of a process share. V8 collects garbage for every 64 MB that are taken outside its heap: answers in memory that is reused
 * spare a load of blocks half of that.
 */
export const { take: takeMemory, give: giveMemory } = createAnswerMemory();

/** Four sizes to each doubling: answers of one kind differ by less than a quarter mostly. */
function sizeFor(bytes: number): number {
  const step = 2 ** (Math.floor(Math.log2(bytes)) - 2);
  return Math.ceil(bytes / step) * step;
}
