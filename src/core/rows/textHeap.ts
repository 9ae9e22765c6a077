import { giveMemory, takeMemory } from './answerMemory.ts';
import { mixWord } from './mixWord.ts';

/**
 * Entries of text and bytes: the length, and behind it up to 12 bytes themselves; of longer text its first 4 bytes, the number of a buffer and
 * the place in it.
 */
export const viewWords = 4;
/** Text of at most this many bytes is kept in its entry. */
export const inlineBytes = 12;

/** Buffers of its own begin small: most rows need none, and each is copied whole when rows are handed over. */
const firstBytes = 1 << 14;
const mostBytes = 1 << 20;
const digits = '0123456789abcdef';
/** The two digits of a byte as a little-endian word. */
const hexPairs = Uint16Array.from(
  { length: 256 },
  (_, byte) => digits.charCodeAt(byte >> 4) | (digits.charCodeAt(byte & 15) << 8),
);
/** Longer text is not looked at character by character. */
const shortText = 64;
/** UTF-8 takes at most three bytes for a UTF-16 unit. */
const bytesOfUnit = 3;
/** Of longer text the bytes are counted first: a buffer of its own that is three times as large would be copied whole. */
const longText = mostBytes / bytesOfUnit;

/**
 * Where the long text of rows lies: whole answers, kept as they came, and buffers of its own for what no answer holds
 * as it is meant (unescaped, in lower case, decoded). Rows of a batch and their children share one, so that an entry can be copied.
 */
export class TextHeap {
  readonly buffers: Uint8Array[] = [];
  /** Bytes held, for telling when a batch is full. */
  bytes = 0;
  readonly #numbers = new Map<Uint8Array, number>();
  #own: Buffer = Buffer.allocUnsafeSlow(0);
  #words = new DataView(this.#own.buffer);
  #number = -1;
  #end = 0;

  /** Keeps an answer until the heap is cleared; returns its number. The bytes must not change until then. */
  keep(answer: Uint8Array): number {
    const known = this.#numbers.get(answer);
    if (known !== undefined) return known;
    this.bytes += answer.length;
    const number = this.buffers.push(answer) - 1;
    this.#numbers.set(answer, number);
    return number;
  }

  /**
   * Lets go of everything.
   *
   * @param isLast nobody else looks at the answers any more
   */
  clear(isLast = false): void {
    if (isLast) for (const bytes of this.buffers) giveMemory(bytes);
    this.buffers.length = 0;
    this.#numbers.clear();
    this.bytes = 0;
    this.#own = Buffer.allocUnsafeSlow(0);
    this.#number = -1;
    this.#end = 0;
  }

  /** Writes text into entry `at`. */
  writeText(entries: Int32Array, at: number, text: string): void {
    const most = text.length > longText ? Buffer.byteLength(text) : text.length * bytesOfUnit;
    this.#reserve(most);
    const from = this.#end;
    const end = text.length > shortText ? -1 : this.#writeAscii(text);
    this.#take(entries, at, end >= 0 ? end : from + this.#own.write(text, from, most, 'utf8'));
  }

  /**
   * Writes text of one byte a character, byte by byte: for ids half the time of the call that writes any text. Gives its end, or -1 for other
   * text.
   */
  #writeAscii(text: string): number {
    const own = this.#own;
    let end = this.#end;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) return -1;
      own[end++] = code;
    }
    return end;
  }

  /** Writes a copy of bytes into entry `at`. */
  writeBytes(entries: Int32Array, at: number, bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#own.set(bytes, this.#end);
    this.#take(entries, at, this.#end + bytes.length);
  }

  /** Writes bytes as `0x` and two lower-case digits for each into entry `at`; the digit of a half byte may come in front. */
  writeHex(entries: Int32Array, at: number, bytes: Uint8Array, from: number, to: number, half?: number): void {
    this.#reserve((to - from) * 2 + 3);
    const words = this.#words;
    let end = this.#end;
    words.setUint16(end, 0x7830, true);
    end += 2;
    if (half !== undefined) this.#own[end++] = digits.charCodeAt(half);
    for (let i = from; i < to; i++, end += 2) words.setUint16(end, hexPairs[bytes[i] as number] as number, true);
    this.#take(entries, at, end);
  }

  /** The bytes of entry `at`: a view of them, not a copy. */
  bytesAt(entries: Int32Array, at: number): Uint8Array {
    const word = at * viewWords;
    const length = entries[word] as number;
    if (length <= inlineBytes) return new Uint8Array(entries.buffer, (word + 1) * 4, length);
    const from = entries[word + 3] as number;
    return (this.buffers[entries[word + 2] as number] as Uint8Array).subarray(from, from + length);
  }

  /** Whether entry `at` is the same text as one of another heap. */
  isSame(entries: Int32Array, at: number, other: TextHeap, otherEntries: Int32Array, otherAt: number): boolean {
    const [word, otherWord] = [at * viewWords, otherAt * viewWords];
    const length = entries[word] as number;
    if (length !== otherEntries[otherWord] || entries[word + 1] !== otherEntries[otherWord + 1]) return false;
    const [second, third] = [entries[word + 2] as number, entries[word + 3] as number];
    const [otherSecond, otherThird] = [otherEntries[otherWord + 2] as number, otherEntries[otherWord + 3] as number];
    if (length <= inlineBytes) return second === otherSecond && third === otherThird;
    const bytes = this.buffers[second] as Uint8Array;
    const otherBytes = other.buffers[otherSecond] as Uint8Array;
    for (let i = 4; i < length; i++) if (bytes[third + i] !== otherBytes[otherThird + i]) return false;
    return true;
  }

  /** Mixes the text of entry `at`, with its length, into a hash. */
  hashAt(entries: Int32Array, at: number, hash: number): number {
    const word = at * viewWords;
    const length = entries[word] as number;
    let mixed = mixWord(hash, length);
    if (length <= inlineBytes) {
      for (let i = 1; i < viewWords; i++) mixed = mixWord(mixed, entries[word + i] as number);
      return mixed;
    }
    const bytes = this.buffers[entries[word + 2] as number] as Uint8Array;
    const from = entries[word + 3] as number;
    const byte = (i: number) => bytes[from + i] as number;
    // The last word overlaps the one before it: a long text has no end of less than four bytes.
    for (let i = 0; i < length; i += 4) {
      const start = Math.min(i, length - 4);
      mixed = mixWord(mixed, byte(start) | (byte(start + 1) << 8) | (byte(start + 2) << 16) | (byte(start + 3) << 24));
    }
    return mixed;
  }

  #reserve(bytes: number): void {
    if (this.#end + bytes <= this.#own.length) return;
    this.#own = takeMemory(Math.max(bytes, Math.min(mostBytes, Math.max(firstBytes, this.#own.length * 4))));
    this.#words = new DataView(this.#own.buffer);
    this.#number = this.buffers.push(this.#own) - 1;
    this.#end = 0;
  }

  /** The bytes between the end so far and `end` are the text of an entry. Short text needs no room here. */
  #take(entries: Int32Array, at: number, end: number): void {
    const from = this.#end;
    writeView(entries, at, this.#own, this.#number, from, end);
    if (end - from <= inlineBytes) return;
    this.bytes += end - from;
    this.#end = end;
  }
}

/** Writes the entry of the bytes `from`..`to` of a buffer. All of its words are written: nothing of what stood there before may show. */
export function writeView(
  entries: Int32Array,
  at: number,
  bytes: Uint8Array,
  buffer: number,
  from: number,
  to: number,
): void {
  const length = to - from;
  const word = at * viewWords;
  entries[word] = length;
  if (length > inlineBytes) {
    entries[word + 1] = packed(bytes, from, 4);
    entries[word + 2] = buffer;
    entries[word + 3] = from;
    return;
  }
  entries[word + 1] = packed(bytes, from, Math.min(4, length));
  entries[word + 2] = length > 4 ? packed(bytes, from + 4, Math.min(4, length - 4)) : 0;
  entries[word + 3] = length > 8 ? packed(bytes, from + 8, length - 8) : 0;
}

/** Up to four bytes as one little-endian word. */
function packed(bytes: Uint8Array, from: number, count: number): number {
  let word = 0;
  for (let i = 0; i < count; i++) word |= (bytes[from + i] as number) << (i * 8);
  return word;
}
