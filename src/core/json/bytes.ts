/** What a byte of JSON may be, as tables: a look-up is several times as quick as comparisons. */

/** 1 where a byte stands for itself inside a string: no quote, no backslash, no control character. */
export const plain = new Uint8Array(256).fill(1);
plain.fill(0, 0, 0x20);
plain[0x22] = 0;
plain[0x5c] = 0;

/** Whether a number ends before this byte: a comma, what closes its holder, or space. */
export const endsNumber = (byte: number | undefined): boolean =>
  byte === 0x2c || byte === 0x7d || byte === 0x5d || (byte ?? 0x21) <= 0x20;

/** Value of a hexadecimal digit; 255 for every other byte. */
export const digit = new Uint8Array(256).fill(255);
/** 1 for a hexadecimal digit in lower case. */
export const lowerDigit = new Uint8Array(256);
for (const [value, character] of [...'0123456789abcdef'].entries()) {
  for (const byte of Buffer.from(character + character.toUpperCase())) digit[byte] = value;
  lowerDigit[character.charCodeAt(0)] = 1;
}

/** 1 where two bytes, the first one low, are hexadecimal digits in lower case: hashes and data are looked through by pairs. */
export const lowerHexPair = new Uint8Array(65_536);
for (let pair = 0; pair < lowerHexPair.length; pair++) {
  lowerHexPair[pair] = (lowerDigit[pair & 255] as number) & (lowerDigit[pair >> 8] as number);
}

/** Position of the first byte that is no white space. */
export function afterSpace(bytes: Uint8Array, from: number): number {
  for (let p = from; ; p++) {
    const byte = bytes[p] as number;
    // One comparison where none stands, as nearly always.
    if (byte > 0x20 || !(byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09)) return p;
  }
}

/** Position behind the string that opens at `from`, or -1 where it holds a control character or is never closed. */
export function afterString(bytes: Uint8Array, from: number): number {
  let p = from + 1;
  for (;;) {
    while (plain[bytes[p] as number] === 1) p++;
    if (bytes[p] === 0x22) return p + 1;
    if (bytes[p] !== 0x5c || p + 1 >= bytes.length) return -1;
    p += 2;
  }
}

/** Position behind the string that opens at `from`, or -1 where it holds an escape or a control character, or is never closed. */
export function afterPlainString(bytes: Uint8Array, from: number): number {
  let p = from + 1;
  while (plain[bytes[p] as number] === 1) p++;
  return bytes[p] === 0x22 ? p + 1 : -1;
}

/** What values hold: commas and opening brackets, which are as many as values, and how deep they nest. */
export interface Tally {
  values: number;
  depth: number;
  /** Items of the longest list or object. */
  items: number;
  /** Commas by depth, for counting. */
  readonly commas: Int32Array;
}

/** Strings so long are passed over by a search for their end, which costs as much as to look at so many bytes. */
const long = 96;

/** Position behind the string that opens at `from`, or -1 where it is never closed. Its content is not looked at. */
function behindString(bytes: Uint8Array, from: number): number {
  let p = from + 1;
  const near = Math.min(p + long, bytes.length - 8);
  // Eight at a time: half the time of one after the other.
  while (
    p < near &&
    ((plain[bytes[p] as number] as number) &
      (plain[bytes[p + 1] as number] as number) &
      (plain[bytes[p + 2] as number] as number) &
      (plain[bytes[p + 3] as number] as number) &
      (plain[bytes[p + 4] as number] as number) &
      (plain[bytes[p + 5] as number] as number) &
      (plain[bytes[p + 6] as number] as number) &
      (plain[bytes[p + 7] as number] as number)) ===
      1
  ) {
    p += 8;
  }
  if (p < near) while (plain[bytes[p] as number] === 1) p++;
  if (bytes[p] === 0x22) return p + 1;
  for (let quote = bytes.indexOf(0x22, p); quote >= 0; quote = bytes.indexOf(0x22, quote + 1)) {
    let before = quote - 1;
    while (bytes[before] === 0x5c) before--;
    if ((quote - before) % 2 === 1) return quote + 1;
  }
  return -1;
}

/**
 * Position behind the value that begins at `from`, or -1 where none ends. It tells where a value ends and not whether it is valid:
 * whoever passes over one parses it somewhere.
 */
export function afterValue(bytes: Uint8Array, from: number, tally?: Tally): number {
  let depth = 0;
  let p = from;
  for (;;) {
    const byte = bytes[p];
    if (byte === undefined) return -1;
    if (byte === 0x22) {
      p = behindString(bytes, p);
      if (p < 0) return -1;
    } else if (byte === 0x7b || byte === 0x5b) {
      depth++;
      p++;
      if (tally !== undefined) {
        tally.values++;
        tally.commas[depth] = 0;
        if (depth > tally.depth) tally.depth = depth;
      }
      continue;
    } else if (byte === 0x7d || byte === 0x5d) {
      depth--;
      p++;
      if (depth < 0) return -1;
    } else if (byte === 0x2c || byte === 0x3a || byte <= 0x20) {
      if (depth === 0) return -1;
      if (byte === 0x2c && tally !== undefined) {
        tally.values++;
        // Deeper than there is room for, nothing is counted: it is not parsed either.
        const items = (tally.commas[depth] ?? 0) + 1;
        tally.commas[depth] = items;
        if (items >= tally.items) tally.items = items + 1;
      }
      p++;
      continue;
    } else {
      p++;
      while (!endsLiteral(bytes[p])) p++;
    }
    if (depth === 0) return p;
  }
}

const endsLiteral = (byte: number | undefined) =>
  byte === undefined || byte <= 0x20 || byte === 0x2c || byte === 0x7d || byte === 0x5d || byte === 0x3a;

/** Whether a name of letters and digits stands at `from`..`to`. */
export function isName(bytes: Buffer, from: number, to: number, name: string): boolean {
  if (to - from !== name.length) return false;
  for (let i = 0; i < name.length; i++) if (bytes[from + i] !== name.charCodeAt(i)) return false;
  return true;
}
