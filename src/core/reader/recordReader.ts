import { bounds } from '../bounds.ts';
import { flatJsonText } from '../columns.ts';
import type { Value } from '../columnType.ts';
import { type Numbers, parseLossless } from '../parseLossless.ts';
import type { RowColumn, Rows } from '../rows.ts';
import type { UnknownMember } from '../table.ts';
import { type TextHeap, writeView } from '../textHeap.ts';
import { wideValue } from '../wideValue.ts';
import { afterSpace, afterString, afterValue, digit, lowerHex, lowerHexPair, plain, type Tally } from './bytes.ts';
import { type Cut, type Part, RawValue } from './rawValue.ts';
import { readInteger } from './readInteger.ts';
import type { MemberPlan, ObjectPlan, Repeated, TablePlan } from './readPlan.ts';

/** What a record is nested around its values takes the rest. */
const deepest = bounds.page.depth - 20;
/** Items of a list, members of an object. Nobody may have counted them before. */
const most = bounds.page.items;

/** 1 for a hexadecimal digit in lower case. */
const lowerDigit = lowerHex.map((lower, byte) => (lower !== 0 && lower === byte ? 1 : 0));

/** Given for what the reader does not take: JSON.parse and zod then judge the record. */
const refused = -1;

/** Rows of a table and of its children, by their numbers. */
export interface RowsOfRecord {
  readonly own: Rows;
  readonly children: readonly Rows[];
}

/** A member that the schema does not know: its place in the record, and its bytes. */
interface Unknown {
  readonly path: readonly string[];
  readonly name: string;
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
}

/** Numbers objects: over all readers, since plans remember the number of the object in which a member was met last. */
let objects = 0;

/** Told of every member that a schema does not know. */
export type OnUnknown = (member: UnknownMember) => void;

/**
 * Reads records from the bytes of an answer straight into typed columns: no string, no object is made of a value that stands in the
 * answer as it is stored. It takes only what it knows to be what JSON.parse and the schema would give; every other record is refused
 * and left to them. Our own, since JSON.parse alone takes twice the CPU of all this, and there is no other reader of bytes into columns.
 */
export class RecordReader {
  readonly #numbers: Numbers;
  readonly #onUnknown: OnUnknown;
  #bytes: Buffer = Buffer.alloc(0);
  #words: DataView = new DataView(new ArrayBuffer(0));
  #heap: TextHeap | undefined;
  #buffer = 0;
  #rows: RowsOfRecord = { own: undefined as never, children: [] };
  /** The member that is left out of the object that is read. */
  #cut: Cut | undefined;
  readonly #tally: Tally = { values: 0, depth: 0, items: 0, commas: new Int32Array(deepest) };
  readonly #unknown: Unknown[] = [];
  readonly #told: UnknownMember[] = [];

  constructor(numbers: Numbers, onUnknown: OnUnknown) {
    this.#numbers = numbers;
    this.#onUnknown = onUnknown;
  }

  /** Reads into these rows from now on. */
  into(rows: RowsOfRecord): void {
    this.#rows = rows;
  }

  /**
   * Reads a record into a new row. False where it is refused: what was read of it is then to be taken back.
   *
   * @param raw its bytes are kept by the heap of the rows
   */
  record(plan: TablePlan, raw: RawValue): boolean {
    this.#unknown.length = 0;
    this.#told.length = 0;
    if (!this.#whole(plan, this.#rows.own, raw)) return false;
    for (const member of this.#told) this.#onUnknown(member);
    return true;
  }

  /** Reads an object, of which parts may stand elsewhere, into a new row. */
  #whole(plan: TablePlan, rows: Rows, raw: RawValue): boolean {
    const firstUnknown = this.#unknown.length;
    const row = rows.add();
    const firsts = raw.also && this.#elsewhere(plan, raw.also, rows, row);
    if (firsts === refused) return false;
    this.#enter(raw.bytes);
    this.#cut = raw.cut;
    const end = this.#object(plan.object, rows, row, raw.from, firsts);
    if (end === refused || !raw.endsAt(end)) return false;
    return this.#unknown.length === firstUnknown || this.#extra(plan, rows, row, firstUnknown);
  }

  /** Reads the members that stand elsewhere; gives how many of them must be there. */
  #elsewhere(plan: TablePlan, also: Readonly<Record<string, Part>>, rows: Rows, row: number): number {
    const { byName } = plan.object;
    let required = 0;
    for (const name in also) {
      const member = byName.get(name);
      if (member === undefined || !this.#part(member, rows, row, also[name] as Part)) return refused;
      if (!member.mayMiss) required++;
    }
    // Reading the parts has numbered the objects inside them.
    for (const name in also) (byName.get(name) as MemberPlan).elsewhereIn = objects + 1;
    return required;
  }

  #part(member: MemberPlan, rows: Rows, row: number, part: Part): boolean {
    if (part instanceof RawValue) {
      this.#enter(part.bytes);
      this.#cut = part.cut;
      return this.#member(member, rows, row, part.from) === part.to;
    }
    if (part === null) return member.mayBeNull;
    if (typeof part !== 'object') return this.#known(member, rows, row, part);
    const { rows: plan, child } = member;
    const into = this.#rows.children[child];
    if (member.kind !== 'rows' || plan === undefined || into === undefined) return false;
    return part.every((item, position) => {
      const at = into.length;
      if (!this.#whole(plan, into, item)) return false;
      this.#place(plan, into, at, position);
      return true;
    });
  }

  /** A value that is known without JSON. */
  #known(member: MemberPlan, rows: Rows, row: number, value: number | boolean): boolean {
    const column = rows.columns[member.column];
    if (column === undefined || member.asked !== undefined) return false;
    if (typeof value === 'boolean') {
      if (member.kind !== 'boolean') return false;
      column.entries[row] = value ? 1 : 0;
    } else {
      const fits = column.width === 1 ? (value | 0) === value : Number.isSafeInteger(value);
      if (member.kind !== 'integer' || !fits) return false;
      column.setInteger(row, value);
    }
    column.setValid(row);
    return true;
  }

  /** The place of an item in its list, and the name of that, where its row has them. */
  #place({ position, list }: TablePlan, rows: Rows, row: number, place: number): void {
    if (list !== undefined) rows.set(rows.columns[list.column] as RowColumn, row, list.name);
    const column = rows.columns[position];
    if (column === undefined) return;
    column.setInteger(row, place);
    column.setValid(row);
  }

  /** Goes on in another answer. */
  #enter(bytes: Buffer): void {
    if (this.#bytes === bytes && this.#heap === this.#rows.own.heap) return;
    this.#bytes = bytes;
    this.#heap = this.#rows.own.heap;
    this.#buffer = this.#heap.keep(bytes);
    this.#words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  #row(plan: TablePlan, rows: Rows, from: number): number {
    const firstUnknown = this.#unknown.length;
    const row = rows.add();
    const end = this.#object(plan.object, rows, row, from);
    if (end === refused || this.#unknown.length === firstUnknown) return end;
    return this.#extra(plan, rows, row, firstUnknown) ? end : refused;
  }

  /** Keeps the members that the schema does not know. False where one of them is no JSON. */
  #extra(plan: TablePlan, rows: Rows, row: number, firstUnknown: number): boolean {
    const extra: Record<string, unknown> = {};
    for (const { path, name, bytes, from, to } of this.#unknown.splice(firstUnknown)) {
      let inside = extra;
      for (const step of path) {
        inside[step] ??= {};
        inside = inside[step] as Record<string, unknown>;
      }
      // Twice in one object it is for JSON.parse to judge, as what the schema knows.
      if (Object.hasOwn(inside, name)) return false;
      try {
        const value = parseLossless(bytes.toString('utf8', from, to), { numbers: this.#numbers });
        inside[name] = value;
        this.#told.push({ path: plan.prefix + [...path, name].join('.'), value });
      } catch {
        return false;
      }
    }
    const text = flatJsonText(extra);
    if (text === null) return false;
    rows.set(rows.columns[plan.extra] as RowColumn, row, text);
    return true;
  }

  #object(plan: ObjectPlan, rows: Rows, row: number, from: number, elsewhere = 0): number {
    const bytes = this.#bytes;
    // What stands for one of its members may be anything but null, which is no short form of an object.
    if (bytes[from] !== 0x7b)
      return plan.short && bytes[from] !== 0x6e ? this.#member(plan.short, rows, row, from) : refused;
    const object = ++objects;
    let p = afterSpace(bytes, from + 1);
    if (bytes[p] === 0x7d) return plan.required === elsewhere ? p + 1 : refused;
    let expected = plan.first;
    let before: MemberPlan | undefined;
    let required = elsewhere;
    for (;;) {
      if (bytes[p] !== 0x22) return refused;
      let member = expected;
      if (member !== undefined && this.#leads(member, p)) p = afterSpace(bytes, p + member.leadLength);
      else {
        const end = afterString(bytes, p);
        if (end < 0) return refused;
        const name = bytes.toString('latin1', p + 1, end - 1);
        member = plan.byName.get(name);
        // A name in other letters than these is rare enough to be parsed: escapes, and what JavaScript gives a meaning of its own.
        if (member === undefined && !/^[\w-]+$/.test(name)) return refused;
        if (member === undefined && name === '__proto__') return refused;
        if (member !== undefined && before !== undefined) before.next = member;
        else if (member !== undefined) plan.first = member;
        p = member === undefined ? this.#unknownMember(plan, name, end) : this.#afterColon(end);
        if (p === refused) return refused;
      }
      if (member !== undefined) {
        if (member.metIn === object) return refused;
        member.metIn = object;
        if (member.elsewhereIn === object) {
          // A value given elsewhere has the last word, as in the text of the whole.
          p = this.#passed(p);
        } else {
          p = this.#member(member, rows, row, p);
          if (!member.mayMiss) required++;
        }
        if (p === refused) return refused;
        before = member;
        expected = member.next;
      }
      p = afterSpace(bytes, p);
      const byte = bytes[p];
      if (byte === 0x7d) return required === plan.required ? p + 1 : refused;
      if (byte !== 0x2c) return refused;
      p = afterSpace(bytes, p + 1);
    }
  }

  /** Whether a member's name stands at `p`, right before its value. */
  #leads({ lead, leadLength }: MemberPlan, p: number): boolean {
    const words = this.#words;
    if (p + leadLength > words.byteLength) return false;
    const last = lead.length - 1;
    for (let i = 0; i < last; i++) if (words.getInt32(p + 4 * i, true) !== lead[i]) return false;
    return words.getInt32(p + leadLength - 4, true) === lead[last];
  }

  /** The position behind a value of any kind; refused where it is nested deeper, or holds more, than may be parsed. */
  #behind(from: number): number {
    this.#tally.depth = 0;
    this.#tally.items = 0;
    const end = afterValue(this.#bytes, from, this.#tally);
    return this.#tally.depth > deepest || this.#tally.items > most ? refused : end;
  }

  /** The position behind a value that is not wanted: it must be JSON all the same. */
  #passed(from: number): number {
    const end = this.#behind(from);
    try {
      if (end >= 0) JSON.parse(this.#bytes.toString('utf8', from, end));
      return end;
    } catch {
      return refused;
    }
  }

  /** Whether a name and the quote behind it stand at `p`. */
  #stands(key: Uint8Array, p: number): boolean {
    const bytes = this.#bytes;
    for (let i = 0; i < key.length; i++) if (bytes[p + i] !== key[i]) return false;
    return bytes[p + key.length] === 0x22;
  }

  #afterColon(from: number): number {
    const p = afterSpace(this.#bytes, from);
    return this.#bytes[p] === 0x3a ? afterSpace(this.#bytes, p + 1) : refused;
  }

  #unknownMember({ path }: ObjectPlan, name: string, from: number): number {
    const begin = this.#afterColon(from);
    if (begin === refused) return refused;
    if (begin === this.#cut?.from) return this.#cut.to;
    const end = this.#behind(begin);
    if (end >= 0) this.#unknown.push({ path, name, bytes: this.#bytes, from: begin, to: end });
    return this.#unknown.length < most ? end : refused;
  }

  /** Reads a value; the position behind it. */
  #member(member: MemberPlan, rows: Rows, row: number, p: number): number {
    const bytes = this.#bytes;
    if (bytes[p] === 0x6e && member.mayBeNull) {
      return bytes[p + 1] === 0x75 && bytes[p + 2] === 0x6c && bytes[p + 3] === 0x6c ? p + 4 : refused;
    }
    switch (member.kind) {
      case 'object':
        return this.#object(member.object as ObjectPlan, rows, row, p);
      case 'rows':
        return this.#list(member, p);
      case 'echo':
        return this.#echo(member, p);
      case 'elsewhere':
        return this.#passed(p);
      case 'repeated':
        return this.#repeated(member.repeated as Repeated, rows, row, p);
      case 'misplaced':
        return refused;
    }
    const column = rows.columns[member.column] as RowColumn;
    const end = this.#value(member, column, rows, row, p);
    if (end === refused) return refused;
    return member.asked === undefined || this.#repeats(member.asked.text, rows, column, row) ? end : refused;
  }

  #value(member: MemberPlan, column: RowColumn, rows: Rows, row: number, p: number): number {
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

  #list({ rows: plan, child, mayBeSingle }: MemberPlan, from: number): number {
    const bytes = this.#bytes;
    const rows = this.#rows.children[child];
    if (plan === undefined || rows === undefined) return refused;
    if (bytes[from] !== 0x5b) {
      const end = mayBeSingle ? this.#row(plan, rows, from) : refused;
      if (end !== refused) this.#place(plan, rows, rows.length - 1, 0);
      return end;
    }
    let p = afterSpace(bytes, from + 1);
    if (bytes[p] === 0x5d) return p + 1;
    for (let position = 0; ; position++) {
      const row = rows.length;
      p = position < most ? this.#row(plan, rows, p) : refused;
      if (p === refused) return refused;
      this.#place(plan, rows, row, position);
      p = afterSpace(bytes, p);
      if (bytes[p] === 0x5d) return p + 1;
      if (bytes[p] !== 0x2c) return refused;
      p = afterSpace(bytes, p + 1);
    }
  }

  /** A member that may stand in two objects, and then says the same in both. */
  #repeated(repeated: Repeated, rows: Rows, row: number, from: number): number {
    const bytes = this.#bytes;
    const end = afterValue(bytes, from);
    if (end < 0) return refused;
    const quote = bytes[from] === 0x22 ? 1 : 0;
    const [begin, stop] = [from + quote, end - quote];
    const { member } = repeated;
    if ((rows.columns[member.column] as RowColumn).isValid(row))
      return bytes.compare(bytes, begin, stop, repeated.from, repeated.to) === 0 ? end : refused;
    repeated.from = begin;
    repeated.to = stop;
    return this.#member(member, rows, row, from);
  }

  /** A member that only repeats what was asked for. */
  #echo({ asked }: MemberPlan, p: number): number {
    if (this.#bytes[p] !== 0x22) return refused;
    if (asked && this.#stands(asked.bytes, p + 1)) return p + asked.bytes.length + 2;
    const end = afterString(this.#bytes, p);
    if (end < 0) return refused;
    const said = this.#bytes.toString('latin1', p + 1, end - 1).toLowerCase();
    return (asked === undefined || said === asked.text) && !said.includes('\\') ? end : refused;
  }

  #repeats(asked: string, rows: Rows, column: RowColumn, row: number): boolean {
    const said = rows.value(column, row);
    return typeof said !== 'string' || said.toLowerCase() === asked;
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
      ) {
        p += 8;
      }
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
    const end = this.#behind(from);
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

const endsNumber = (byte: number | undefined) =>
  byte === 0x2c || byte === 0x7d || byte === 0x5d || (byte ?? 0x21) <= 0x20;
