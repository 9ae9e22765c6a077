import type { UnknownMember } from '../columns/unknownMembers.ts';
import { afterSpace, afterString, afterValue } from '../json/bytes.ts';
import { flatJsonText } from '../json/jsonText.ts';
import { type Numbers, parseLossless } from '../json/parseLossless.ts';
import { type Cut, type Part, RawValue } from '../json/rawValue.ts';
import type { RowColumn } from '../rows/rowColumn.ts';
import type { Rows } from '../rows/rows.ts';
import type { TextHeap } from '../rows/textHeap.ts';
import type { Partition } from '../stream/partition.ts';
import type { MemberPlan, ObjectPlan, Repeated, TablePlan } from './readPlan.ts';
import { mostItems, refused, ValueReader } from './valueReader.ts';

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

/** Values of a partition by their names: in lower case, and as answers usually write them. */
export type AskedValues = ReadonlyMap<string, { readonly text: string; readonly bytes: Uint8Array }>;

/** What members of a partition's records may say again. */
export const askedValues = ({ values }: Partition): AskedValues =>
  new Map(
    Object.entries(values).map(([name, value]) => [name, { text: value.toLowerCase(), bytes: Buffer.from(value) }]),
  );

/** Told of every member that a schema does not know. */
export type OnUnknown = (member: UnknownMember) => void;

/**
 * Reads records from the bytes of an answer straight into typed columns: no string, no object is made of a value that stands in the
 * answer as it is stored. It takes only what it knows to be what JSON.parse and the schema would give; every other record is refused
 * and left to them. Our own, since JSON.parse alone takes twice the CPU of all this, and there is no other reader of bytes into columns.
 */
export class RecordReader {
  readonly #numbers: Numbers;
  readonly #values: ValueReader;
  readonly #onUnknown: OnUnknown;
  #bytes!: Buffer;
  #words!: DataView;
  #heap!: TextHeap;
  #rows!: RowsOfRecord;
  readonly #asked: AskedValues;
  /** The member that is left out of the object that is read. */
  #cut: Cut | undefined;
  readonly #unknown: Unknown[] = [];
  readonly #told: UnknownMember[] = [];

  constructor(numbers: Numbers, asked: AskedValues, onUnknown: OnUnknown) {
    this.#asked = asked;
    this.#numbers = numbers;
    this.#values = new ValueReader(numbers);
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
    if (column === undefined) return false;
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
    this.#words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#values.enter(bytes, this.#words, this.#heap.keep(bytes));
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
          p = this.#values.passed(p);
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
    const end = this.#values.behind(begin);
    if (end >= 0) this.#unknown.push({ path, name, bytes: this.#bytes, from: begin, to: end });
    return this.#unknown.length < mostItems ? end : refused;
  }

  /** Reads a value; the position behind it. */
  #member(member: MemberPlan, rows: Rows, row: number, p: number): number {
    const bytes = this.#bytes;
    if (bytes[p] === 0x6e && member.mayBeNull)
      return bytes[p + 1] === 0x75 && bytes[p + 2] === 0x6c && bytes[p + 3] === 0x6c ? p + 4 : refused;
    switch (member.kind) {
      case 'object':
        return this.#object(member.object as ObjectPlan, rows, row, p);
      case 'rows':
        return this.#list(member, p);
      case 'echo':
        return this.#echo(member, p);
      case 'elsewhere':
        return this.#values.passed(p);
      case 'repeated':
        return this.#repeated(member.repeated as Repeated, rows, row, p);
      case 'misplaced':
        return refused;
    }
    return this.#values.read(member, rows.columns[member.column] as RowColumn, rows, row, p);
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
      p = position < mostItems ? this.#row(plan, rows, p) : refused;
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
  #echo(member: MemberPlan, p: number): number {
    if (this.#bytes[p] !== 0x22) return refused;
    const asked = member.asked === undefined ? undefined : this.#asked.get(member.asked);
    if (asked && this.#stands(asked.bytes, p + 1)) return p + asked.bytes.length + 2;
    const end = afterString(this.#bytes, p);
    if (end < 0) return refused;
    const said = this.#bytes.toString('latin1', p + 1, end - 1).toLowerCase();
    return (asked === undefined || said === asked.text) && !said.includes('\\') ? end : refused;
  }
}
