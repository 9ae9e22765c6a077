import type { Value } from '../columns/columnType.ts';
import { wideValue } from '../columns/wideValue.ts';
import { bounds } from '../json/bounds.ts';
import {
  afterSpace,
  afterString,
  afterValue,
  digit,
  endsNumber,
  lowerDigit,
  lowerHexPair,
  plain,
  type Tally,
} from '../json/bytes.ts';
import { type Numbers, parseLossless } from '../json/parseLossless.ts';
import type { RowColumn } from '../rows/rowColumn.ts';
import type { Rows } from '../rows/rows.ts';
import { writeView } from '../rows/textHeap.ts';
import { readInteger } from './readInteger.ts';
import type { MemberPlan } from './readPlan.ts';

/** What a record is nested around its values takes the rest. */
const deepest = bounds.page.depth - 20;
/** Items of a list, members of an object. Nobody may have counted them before. */
export const mostItems = bounds.page.items;

/** Of one value at a time, for all readers: memory outside the heap costs a microsecond, and each answer has a reader. */
const tally: Tally = { values: 0, depth: 0, items: 0, commas: new Int32Array(deepest) };

/** Given for what the reader does not take: JSON.parse and zod then judge the record. */
export const refused = -1;

/** Reads single values of an answer into typed columns: each method gives the position behind its value, or `refused`. */
export class ValueReader {
  readonly #numbers: Numbers;
  #bytes!: Buffer;
  #words!: DataView;
  #buffer = 0;

  constructor(numbers: Numbers) {
    this.#numbers = numbers;
  }

  /**
   * Goes on in another answer.
   *
   * @param words the same bytes
   * @param buffer their number in the heap of the rows
   */
  enter(bytes: Buffer, words: DataView, buffer: number): void {
    this.#bytes = bytes;
    this.#words = words;
    this.#buffer = buffer;
  }

  /** The position behind a value of any kind; refused where it is nested deeper, or holds more, than may be parsed. */
  behind(from: number): number {
    tally.depth = 0;
    tally.items = 0;
    const end = afterValue(this.#bytes, from, tally);
    return tally.depth > deepest || tally.items > mostItems ? refused : end;
  }

  /** The position behind a value that is not wanted: it must be JSON all the same. */
  passed(from: number): number {
    const end = this.behind(from);
    try {
      if (end >= 0) JSON.parse(this.#bytes.toString('utf8', from, end));
      return end;
    } catch {
      return refused;
    }
  }

  /** Reads a value of a column; the position behind it. */
  read(member: MemberPlan, column: RowColumn, rows: Rows, row: number, p: number): number {
    switch (member.kind) {
      case 'hex':
        return this.#hex(column, rows, row, p);
      case 'text':
        return this.#text(column, rows, row, p);
      case 'integer':
      case 'unsigned': {
        if (member.kind === 'unsigned' && this.#isNegative(p)) return refused;
        const end = readInteger(this.#bytes, p, column, row);
        return end === refused ? this.#parsed(member, rows, row, p) : end;
      }
      case 'unixSeconds':
        return this.#seconds(column, row, p);
      case 'boolean':
        return this.#boolean(column, row, p);
      case 'encoded':
        return this.#encoded(member, rows, row, p);
      case 'texts':
      case 'hexes': {
        const end = this.#texts(column, row, p, member.kind === 'hexes');
        return end === refused ? this.#parsed(member, rows, row, p) : end;
      }
      default:
        return this.#parsed(member, rows, row, p);
    }
  }

  #hex(column: RowColumn, rows: Rows, row: number, from: number): number {
    const bytes = this.#bytes;
    if (bytes[from] !== 0x22) return refused;
    if (bytes[from + 1] === 0x30 && bytes[from + 2] === 0x78) {
      const words = this.#words;
      const last = bytes.length - 8;
      let p = from + 3;
      while (
        p < last &&
        ((lowerHexPair[words.getUint16(p, true)] as number) &
          (lowerHexPair[words.getUint16(p + 2, true)] as number) &
          (lowerHexPair[words.getUint16(p + 4, true)] as number) &
          (lowerHexPair[words.getUint16(p + 6, true)] as number)) ===
          1
      )
        p += 8;
      while (lowerDigit[bytes[p] as number] === 1) p++;
      if (bytes[p] === 0x22) {
        writeView(column.entries, row, bytes, this.#buffer, from + 1, p);
        column.setValid(row);
        return p + 1;
      }
    }
    return this.#otherHex(column, rows, row, from);
  }

  /** Hex with capital letters, or without 0x in front, is written anew. */
  #otherHex(column: RowColumn, rows: Rows, row: number, from: number): number {
    const end = afterString(this.#bytes, from);
    if (end < 0) return refused;
    const text = this.#bytes.toString('latin1', from + 1, end - 1).toLowerCase();
    const digits = text.startsWith('0x') ? text.slice(2) : text;
    if (/[^0-9a-f]/.test(digits)) return refused;
    rows.heap.writeText(column.entries, row, `0x${digits}`);
    column.setValid(row);
    return end;
  }

  #text(column: RowColumn, rows: Rows, row: number, from: number): number {
    const bytes = this.#bytes;
    if (bytes[from] !== 0x22) return this.#literalText(column, rows, row, from);
    let p = from + 1;
    while (plain[bytes[p] as number] === 1) p++;
    if (bytes[p] === 0x22) {
      writeView(column.entries, row, bytes, this.#buffer, from + 1, p);
      column.setValid(row);
      return p + 1;
    }
    const end = afterString(bytes, from);
    if (end < 0) return refused;
    try {
      rows.heap.writeText(column.entries, row, JSON.parse(bytes.toString('utf8', from, end)) as string);
    } catch {
      return refused;
    }
    column.setValid(row);
    return end;
  }

  /** A list of strings without escapes. @param isHex whether it is taken only as hex is stored */
  #texts(column: RowColumn, row: number, from: number, isHex: boolean): number {
    const bytes = this.#bytes;
    if (bytes[from] !== 0x5b) return refused;
    const first = column.items?.length ?? 0;
    const taken = isHex ? lowerDigit : plain;
    let count = 0;
    let p = afterSpace(bytes, from + 1);
    while (bytes[p] === 0x22) {
      const begin = p + 1;
      if (isHex && (bytes[p + 1] !== 0x30 || bytes[p + 2] !== 0x78)) return refused;
      for (p = isHex ? begin + 2 : begin; taken[bytes[p] as number] === 1; ) p++;
      if (bytes[p] !== 0x22) return refused;
      const at = column.addItem();
      writeView(column.items?.entries as Int32Array, at, bytes, this.#buffer, begin, p);
      count++;
      p = afterSpace(bytes, p + 1);
      if (bytes[p] !== 0x2c) break;
      p = afterSpace(bytes, p + 1);
      if (bytes[p] !== 0x22) return refused;
    }
    if (bytes[p] !== 0x5d) return refused;
    column.entries[row * 2] = first;
    column.entries[row * 2 + 1] = count;
    column.setValid(row);
    return p + 1;
  }

  /** A number or a word where text is wanted: its digits, as they stand where literals are kept, or as JavaScript writes a plain integer. */
  #literalText(column: RowColumn, rows: Rows, row: number, from: number): number {
    const end = afterValue(this.#bytes, from);
    if (end < 0) return refused;
    const literal = this.#bytes.toString('latin1', from, end);
    const kept =
      this.#numbers === 'text'
        ? /^(?:true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?)$/
        : /^(?:true|false|0|-?[1-9]\d{0,14})$/;
    if (!kept.test(literal)) return refused;
    rows.heap.writeText(column.entries, row, literal);
    column.setValid(row);
    return end;
  }

  #seconds(column: RowColumn, row: number, from: number): number {
    const bytes = this.#bytes;
    let p = from;
    let seconds = 0;
    while ((digit[bytes[p] as number] as number) < 10 && p - from < 11) {
      seconds = seconds * 10 + (digit[bytes[p] as number] as number);
      p++;
    }
    const isWhole = p > from && p - from <= 10 && (bytes[from] !== 0x30 || p - from === 1) && endsNumber(bytes[p]);
    if (!isWhole || seconds >= 9.2e9) return this.#secondsParsed(column, row, from);
    column.setInteger(row, seconds * 1_000_000);
    column.setValid(row);
    return p;
  }

  #isNegative(p: number): boolean {
    return this.#bytes[this.#bytes[p] === 0x22 ? p + 1 : p] === 0x2d;
  }

  /** Quoted and hexadecimal seconds. */
  #secondsParsed(column: RowColumn, row: number, from: number): number {
    const end = readInteger(this.#bytes, from, column, row);
    if (end === refused) return refused;
    const seconds = column.numberAt(row);
    if (!(Math.abs(seconds) < 9.2e9)) return refused;
    column.setInteger(row, seconds * 1_000_000);
    return end;
  }

  #boolean(column: RowColumn, row: number, p: number): number {
    const bytes = this.#bytes;
    const isTrue = bytes[p] === 0x74 && bytes[p + 1] === 0x72 && bytes[p + 2] === 0x75 && bytes[p + 3] === 0x65;
    const isFalse =
      bytes[p] === 0x66 &&
      bytes[p + 1] === 0x61 &&
      bytes[p + 2] === 0x6c &&
      bytes[p + 3] === 0x73 &&
      bytes[p + 4] === 0x65;
    if (!isTrue && !isFalse) return refused;
    column.entries[row] = isTrue ? 1 : 0;
    column.setValid(row);
    return p + (isTrue ? 4 : 5);
  }

  /** Bytes as text: no character of them needs an escape, so that they end with the next quote. */
  #encoded({ schema, column }: MemberPlan, rows: Rows, row: number, from: number): number {
    const bytes = this.#bytes;
    const end = bytes[from] === 0x22 ? bytes.indexOf(0x22, from + 1) : -1;
    const parsed = end < 0 ? undefined : schema.safeParse(bytes.toString('latin1', from + 1, end));
    if (!parsed?.success) return refused;
    rows.set(rows.columns[column] as RowColumn, row, parsed.data as Value);
    return end + 1;
  }

  /** A value of any kind, through its own schema. */
  #parsed({ schema, column, textColumn }: MemberPlan, rows: Rows, row: number, from: number): number {
    const end = this.behind(from);
    if (end < 0) return refused;
    let value: unknown;
    try {
      value = this.#parse(from, end);
    } catch {
      return refused;
    }
    const parsed = schema.safeParse(value);
    if (!parsed.success) return refused;
    const into = rows.columns[column] as RowColumn;
    const data = parsed.data as Value;
    if (textColumn < 0) rows.set(into, row, data);
    else {
      const { held, text } = wideValue(into.column.type, data);
      rows.set(into, row, held);
      rows.set(rows.columns[textColumn] as RowColumn, row, text);
    }
    return end;
  }

  /** Long strings without escapes, as bytes come in, need no parsing. */
  #parse(from: number, to: number): unknown {
    const bytes = this.#bytes;
    if (bytes[from] === 0x22) {
      let p = from + 1;
      while (plain[bytes[p] as number] === 1) p++;
      if (p === to - 1) return bytes.toString('utf8', from + 1, p);
    }
    return parseLossless(bytes.toString('utf8', from, to), { numbers: this.#numbers });
  }
}
