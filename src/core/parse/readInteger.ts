import { digit, endsNumber } from '../json/bytes.ts';
import type { RowColumn } from '../rows/rowColumn.ts';

const twoTo32 = 4294967296;
/** So many digits are always below 2^53. */
const safeDigits = 15;
const safeHexDigits = 13;
/** Digits taken at a time: a limb times a million and a carry stays below 2^53. */
const digitsAtOnce = 6;

/** The highest 32 bits of 10^38: what comes near it is left to the schema. */
const highestOfDecimal38 = 0x4b3b4ca8;

const limbs = new Uint32Array(4);

/**
 * Reads a JSON integer, or decimal digits or a 0x quantity in quotes, into a column, exactly. The position behind it, or -1 where
 * it is anything else or its column cannot hold it.
 */
export function readInteger(bytes: Uint8Array, from: number, column: RowColumn, row: number): number {
  const isQuoted = bytes[from] === 0x22;
  let p = isQuoted ? from + 1 : from;
  if (isQuoted && bytes[p] === 0x30 && bytes[p + 1] === 0x78) return readQuantity(bytes, p + 2, column, row);
  const isNegative = bytes[p] === 0x2d;
  if (isNegative) p++;
  const first = p;
  let value = 0;
  for (; ; p++) {
    const next = digit[bytes[p] as number] as number;
    if (!(next < 10)) break;
    if (p - first < safeDigits) value = value * 10 + next;
  }
  const count = p - first;
  const isWellFormed = isQuoted ? bytes[p] === 0x22 : endsNumber(bytes[p]) && (bytes[first] !== 0x30 || count === 1);
  if (count === 0 || !isWellFormed) return -1;
  const behind = isQuoted ? p + 1 : p;
  if (count <= safeDigits) return writeSafe(column, row, isNegative ? 0 - value : value) ? behind : -1;
  if (count > 38 || isNegative) return -1;
  limbs.fill(0);
  for (let at = first; at < p; ) {
    let scale = 1;
    let part = 0;
    for (let i = 0; i < digitsAtOnce && at < p; i++, at++) {
      part = part * 10 + (digit[bytes[at] as number] as number);
      scale *= 10;
    }
    for (let i = 0; i < limbs.length; i++) {
      const sum = (limbs[i] as number) * scale + part;
      part = Math.floor(sum / twoTo32);
      limbs[i] = sum - part * twoTo32;
    }
  }
  return writeLimbs(column, row) ? behind : -1;
}

/** Hexadecimal digits up to the closing quote. */
function readQuantity(bytes: Uint8Array, from: number, column: RowColumn, row: number): number {
  let p = from;
  let value = 0;
  for (; ; p++) {
    const next = digit[bytes[p] as number] as number;
    if (!(next < 16)) break;
    if (p - from < safeHexDigits) value = value * 16 + next;
  }
  const count = p - from;
  if (count === 0 || count > 32 || bytes[p] !== 0x22) return -1;
  if (count <= safeHexDigits) return writeSafe(column, row, value) ? p + 1 : -1;
  limbs.fill(0);
  for (let i = 0; i < count; i++)
    (limbs[i >> 3] as number) |= (digit[bytes[p - 1 - i] as number] as number) << ((i & 7) * 4);
  return writeLimbs(column, row) ? p + 1 : -1;
}

function writeSafe(column: RowColumn, row: number, value: number): boolean {
  if (value < column.lowest || value > column.highest) return false;
  column.setInteger(row, value);
  column.setValid(row);
  return true;
}

/** Writes the limbs, which hold more than 15 digits of a positive integer. */
function writeLimbs(column: RowColumn, row: number): boolean {
  const { type } = column.column;
  const high = limbs[1] as number;
  const isWide = limbs[2] !== 0 || limbs[3] !== 0;
  if (type === 'decimal38') {
    if ((limbs[3] as number) >= highestOfDecimal38) return false;
  } else if ((type !== 'bigint' && type !== 'ubigint') || isWide || (type === 'bigint' && high >= 0x80000000))
    return false;
  const word = row * column.width;
  for (let i = 0; i < column.width; i++) column.entries[word + i] = limbs[i] as number;
  column.setValid(row);
  return true;
}
