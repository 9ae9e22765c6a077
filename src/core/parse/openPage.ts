import { columnMeta } from '../columns/columnSchema.ts';
import { duckdbType, integerRanges } from '../columns/columnType.ts';
import type { Table } from '../columns/table.ts';
import { unwrap } from '../columns/unwrap.ts';
import { highest } from '../highest.ts';
import { rawOf } from '../json/answerParts.ts';
import { numberIn } from '../json/numberIn.ts';
import type { Answer, Page } from '../requests/page.ts';
import { numberEqual } from '../rows/numberEqual.ts';
import type { RowColumn } from '../rows/rowColumn.ts';
import { snakeCase } from '../text/snakeCase.ts';
import type { GatheredPage, ParsedPage } from './parseRecords.ts';

type Bad = ParsedPage['quarantined'][number];

/** What became of the records of a page. */
interface ReadPage {
  readonly into: GatheredPage;
  /** Its first row, and how many it has. */
  readonly first: number;
  readonly rows: number;
  readonly bad: readonly Bad[];
  /** 1 at places that were left out: the rows, then what could not be read. */
  readonly left: Uint8Array;
}

/** What stays of pages. */
export interface Settled {
  /** Their first row. */
  readonly first: number;
  /** Records, readable or not. */
  readonly kept: number;
  /** Where in the table's range begins what they hold all of. */
  readonly holdsFrom?: number | undefined;
}

/** A page whose rows paging may still look at and leave out. */
export class OpenPage<Answered extends Answer = Answer> implements Page {
  readonly answer: Answered;
  readonly #table: Table;
  #read: ReadPage | undefined;
  #isHeld = false;
  #about: string | number | undefined;
  #holdsFrom: number | undefined;

  constructor(table: Table, answer: Answered) {
    this.#table = table;
    this.answer = answer;
  }

  get body(): unknown {
    return this.answer.body;
  }

  /** What its records are about, where only the answer says it. */
  get about(): string | number | undefined {
    return this.#about;
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  get length(): number {
    return this.#rows.left.length;
  }

  /** Its first row among those that are gathered. */
  get first(): number {
    return this.#rows.first;
  }

  get kept(): number {
    return this.#rows.left.reduce((kept, left) => kept - left, this.length);
  }

  get #rows(): ReadPage {
    if (!this.#read) throw new TypeError('the page was not read yet');
    return this.#read;
  }

  /** Reads the records behind what was gathered before, once. @throws whatever `parse` throws: nothing is gathered then */
  read(into: GatheredPage, parse: () => void): void {
    if (this.#read) return;
    const mark = into.set.mark();
    const [first, bad, marks] = [into.set.own.length, into.quarantined.length, into.marks.length];
    try {
      parse();
    } catch (error) {
      into.set.takeBack(mark);
      into.quarantined.length = bad;
      into.marks.length = marks;
      throw error;
    }
    const rows = into.set.own.length - first;
    const unread = into.quarantined.slice(bad);
    this.#read = { into, first, rows, bad: unread, left: new Uint8Array(rows + unread.length) };
  }

  numbers(column: string): Float64Array {
    const { first, rows, bad } = this.#rows;
    const [numbers, of] = [new Float64Array(this.length).fill(Number.NaN), this.#column(column)];
    const { type } = of.column;
    if (type !== 'timestamp' && !(type in integerRanges))
      throw new TypeError(
        `paging goes by numbers and times, and ${column} of ${this.#table.name} is ${duckdbType(type)}: declare it by int64(…), unixSeconds(…) or rfc3339(…)`,
      );
    const unit = type === 'timestamp' ? 1e6 : 1;
    for (let row = 0; row < rows; row++) if (of.isValid(first + row)) numbers[row] = of.numberAt(first + row) / unit;
    if (bad.length > 0) numbers.set(bad.map(saidBy(memberOf(this.#table, column))), rows);
    return numbers;
  }

  newest(column: string, before?: number, below?: number | null): number | undefined {
    return highest(this.numbers(column).subarray(0, this.#rows.rows), before, below);
  }

  newestKept(column: string, before?: number): number | undefined {
    const { left, rows } = this.#rows;
    return highest(
      this.numbers(column).filter((_, place) => place < rows && left[place] === 0),
      before,
    );
  }

  texts(columns: readonly string[]): readonly string[] {
    const { into, first, rows, bad } = this.#rows;
    const of = columns.map((column) => this.#column(column));
    const textOf = (row: number) => of.map((column) => String(into.set.own.value(column, row))).join('\u0000');
    return [...Array.from({ length: rows }, (_, row) => textOf(first + row)), ...bad.map(({ record }) => record)];
  }

  within(column: string, from: number | undefined, to: number | null = null): void {
    if (from === undefined && to === null) return;
    const { left } = this.#rows;
    const [low, end] = [from ?? Number.NEGATIVE_INFINITY, to ?? Number.POSITIVE_INFINITY];
    this.numbers(column).forEach((number, place) => {
      if (number < low || number >= end) left[place] = 1;
    });
  }

  holdsFrom(column: string, from: number): void {
    if (column === this.#table.range) this.#holdsFrom = from;
  }

  drop(): void {
    this.#rows.left.fill(1);
    this.#isHeld = false;
  }

  isAbout(about: string | number): void {
    this.#about = about;
  }

  hold(): void {
    this.#isHeld = true;
  }

  take(): void {
    this.#isHeld = false;
  }

  #column(name: string): RowColumn {
    const column = this.#rows.into.set.own.column(name);
    if (column) return column;
    throw new TypeError(`${this.#table.name} has no column ${name}`);
  }

  /**
   * Leaves out of what was gathered the places that pages were told to. Rows of several pages are numbered anew: they are alike or not
   * as if they stood on one.
   *
   * @param pages all that were read into `into` since this was called last
   * @returns the first row, and how many records stay, readable or not
   */
  static settle(table: Table, pages: readonly OpenPage[], into: GatheredPage): Settled {
    const read = pages.map((page) => page.#rows);
    const kept = pages.reduce((sum, page) => sum + page.kept, 0);
    const first = read[0]?.first ?? into.set.own.length;
    if (read.some(({ left }) => left.includes(1))) {
      const isLeft = read.flatMap(({ left, rows }) => [...left.subarray(0, rows)]);
      const gone = new Set(read.flatMap(({ left, rows, bad }) => bad.filter((_, i) => left[rows + i] === 1)));
      into.set.leaveOut(into.marks, (row) => isLeft[row] === 1);
      into.quarantined.splice(0, into.quarantined.length, ...into.quarantined.filter((bad) => !gone.has(bad)));
    }
    if (pages.length > 1 && table.key.includes('position')) numberEqual(into.set.own, table.key, first);
    into.marks.length = 0;
    return { first, kept, holdsFrom: pages.length === 1 ? (pages[0] as OpenPage).#holdsFrom : undefined };
  }
}

/** The member of a record that fills a column. */
const memberOf = ({ schema }: Table, column: string): string | undefined =>
  Object.entries(schema.shape).find(
    ([member, type]) => (columnMeta(unwrap(type as never).inner)?.name ?? snakeCase(member)) === column,
  )?.[0];

/** The number that a record names even though it cannot be read. What is no object, as long as it may be, is not parsed for that. */
const saidBy = (member: string | undefined) => (bad: Bad) =>
  member === undefined || !bad.record.startsWith('{') ? Number.NaN : numberIn(rawOf(JSON.parse(bad.record))[member]);
