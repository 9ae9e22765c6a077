import type { z } from 'zod';
import type { Row } from '../columns/columnType.ts';
import type { UnknownMember } from '../columns/unknownMembers.ts';
import { hasCode } from '../firnError.ts';
import { memberOf } from '../json/answerParts.ts';
import { bounds } from '../json/bounds.ts';
import { jsonText } from '../json/jsonText.ts';
import { RawValue } from '../json/rawValue.ts';
import { numberEqual } from '../rows/numberEqual.ts';
import type { NetworkFacts } from '../stream/network.ts';
import type { Partition } from '../stream/partition.ts';
import type { Declared } from '../stream/stream.ts';
import { type ChildPlan, type Claim, type ParsePlan, parsePlan } from './parsePlan.ts';
import { askedValues, RecordReader } from './recordReader.ts';
import { type RowSet, takeRowSet } from './rowSet.ts';
import { ownForm } from './wireForm.ts';

/** What a page of raw records became. */
export interface ParsedPage {
  /** Rows of the table and of each child. */
  readonly set: RowSet;
  readonly quarantined: { record: string; reason: string }[];
  /** Members that the schema does not know, each by its path, with one value as JSON. */
  readonly unknown: { member: string; example: string }[];
  /** Where each row began in all tables. */
  readonly marks?: (readonly number[])[];
}

/** Rows of which paging may leave some out. */
export type GatheredPage = ParsedPage & Required<Pick<ParsedPage, 'marks'>>;

/** A page that holds nothing yet. */
export const emptyPage = (stream: Declared, partition: Partition): ParsedPage => ({
  set: takeRowSet(stream, partition),
  quarantined: [],
  unknown: [],
});

export const emptyGatheredPage = (stream: Declared, partition: Partition): GatheredPage => ({
  ...emptyPage(stream, partition),
  marks: [],
});

/**
 * Makes rows of raw records. One that came unparsed is read from its bytes; what the reader does not take, and what came parsed, goes
 * through the stream's schema, record by record, so that a bad one goes to quarantine alone. A record that contradicts its partition
 * goes there too.
 *
 * @param raws records as they stand in an answer
 * @param page what to add to
 * @returns rows of the table and of each child; records that could not be read, whole, with the reason
 * @throws FirnError `contract` where an unparsed record is no JSON; the page is then not to be used
 */
export function parseRecords(
  stream: Declared,
  partition: Partition,
  network: NetworkFacts,
  raws: Iterable<unknown>,
  page = emptyPage(stream, partition),
): ParsedPage {
  const taking = new Taking(stream, partition, network, page);
  const before = page.set.own.length;
  for (const raw of raws) taking.one(raw);
  if (stream.table.key.includes('position')) numberEqual(page.set.own, stream.table.key, before);
  return page;
}

/** zod would gather the issues of every item of a list, and end with a full stack above some 100,000. Its own `validate` sets this. */
const firstIssue = { abortEarly: true } as object;
/** A record with more values may be wrong as often; only the first problem is reported. */
const toldWhole = 10_000;
/** Unknown members of a page that are reported by name. */
const toldUnknown = 100;

/** Whether a value holds at most this many values, itself included. */
function holdsAtMost(value: unknown, most: number): boolean {
  const open = [value];
  for (let seen = 0; open.length > 0; seen += 1) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    for (const name in next) open.push((next as Record<string, unknown>)[name]);
    if (seen + open.length >= most) return false;
  }
  return true;
}

/** Takes the records of one page, one after the other. */
class Taking {
  readonly #stream: Declared;
  readonly #partition: Partition;
  readonly #network: NetworkFacts;
  readonly #page: ParsedPage;
  readonly #plan: ParsePlan;
  readonly #reader: RecordReader;
  readonly #seen: Set<string>;
  #more = 0;

  constructor(stream: Declared, partition: Partition, network: NetworkFacts, page: ParsedPage) {
    this.#stream = stream;
    this.#partition = partition;
    this.#network = network;
    this.#page = page;
    this.#plan = parsePlan(stream, partition);
    this.#reader = new RecordReader(stream.source.numbers, askedValues(partition), (member) => this.#note(member));
    this.#reader.into({ own: page.set.own, children: this.#plan.children.map(({ name }) => page.set.rowsOf(name)) });
    this.#seen = new Set(page.unknown.map(({ member }) => member));
  }

  one(raw: unknown): void {
    if (!(raw instanceof RawValue)) this.judge(raw);
    else if (!this.read(raw)) this.judge(raw.parse({ ...this.#stream.source, bounds: bounds.page }));
    this.#tellMore();
  }

  /** Reads a record from its bytes. False where it is left to the schema. */
  read(raw: RawValue): boolean {
    const { reading, children } = this.#plan;
    const { set } = this.#page;
    if (reading.length === 0) return false;
    const mark = set.mark();
    const isTaken = reading.some((plan) => {
      if (this.#reader.record(plan, raw)) return true;
      set.takeBack(mark);
      return false;
    });
    if (!isTaken) return false;
    const row = set.own.length - 1;
    for (const [i, plan] of children.entries()) this.#complete(plan, mark[i + 1] ?? 0, row);
    this.#addMade(row, () => jsonText(raw.parse(this.#stream.source)));
    this.#page.marks?.push(mark);
    return true;
  }

  /** Takes a record that was parsed, through its schema. */
  judge(given: unknown): void {
    const { schema } = this.#stream.table;
    const raw = ownForm(schema, lifted(given, [this.#stream.lifts ?? []].flat()[0]));
    const parsed = schema.safeParse(raw, holdsAtMost(raw, toldWhole) ? undefined : firstIssue);
    if (parsed.success) this.take(raw, parsed.data as Record<string, unknown>);
    else this.#page.quarantined.push({ record: jsonText(raw ?? null), reason: reasonOf(parsed.error) });
  }

  /** Takes a record that its schema has parsed, unless it is another partition's. */
  take(raw: unknown, record: Record<string, unknown>): void {
    const { table } = this.#stream;
    const { set, quarantined } = this.#page;
    const contradiction = contradictionOf(this.#plan.claims, this.#partition, record);
    if (contradiction) {
      quarantined.push({ record: jsonText(raw), reason: contradiction });
      return;
    }
    const mark = set.mark();
    try {
      const row: Row = { position: 0, _extra: table.extraOf(raw) };
      table.fill(row, record);
      const number = set.own.append(row);
      const hasNew = this.#plan.children
        .map((plan) => this.#addItems(plan, number, record, raw))
        .some((hasNew) => hasNew);
      if (row['_extra'] !== null || hasNew) for (const member of table.unknownOf(raw)) this.#note(member);
      this.#addMade(number, () => jsonText(raw));
      this.#page.marks?.push(mark);
    } catch (error) {
      // Nested so deep that no column holds it.
      if (!hasCode(error, 'decode')) throw error;
      set.takeBack(mark);
      quarantined.push({ record: jsonText(raw), reason: error.message });
    }
  }

  /** Adds the rows of a child that a record lists; whether one of them has members that the schema does not know. */
  #addItems(plan: ChildPlan, parent: number, record: unknown, raw: unknown): boolean {
    const { child, name, numbered } = plan;
    if (child.of === undefined) return false;
    const rows = this.#page.set.rowsOf(name);
    const before = rows.length;
    let hasNew = false;
    const lists = child.of;
    const paths =
      typeof lists === 'string' ? [lists] : Object.keys(raw as object).filter((name) => lists.includes(name));
    for (const path of paths) {
      const raws = itemsOf(path, raw);
      itemsOf(path, record).forEach((item, position) => {
        const row: Row = { position, _extra: child.table.extraOf(raws[position]) };
        if (child.listed) row[child.listed] = path;
        child.table.fill(row, item);
        hasNew ||= row['_extra'] !== null;
        rows.append(row, this.#from(plan, parent));
      });
    }
    if (numbered) numberEqual(rows, child.table.key, before);
    return hasNew;
  }

  /** Adds what a stream makes of a row: further columns, and rows of children. */
  #addMade(row: number, textOf: () => string): void {
    const { derive } = this.#stream;
    if (!derive) return;
    const { set, quarantined } = this.#page;
    const { own, children } = set;
    const mark = set.mark();
    const value = (name: string) => own.value(own.named(name), row);
    const { columns = {}, problems = [] } = derive({ value, children }, this.#partition, this.#network);
    if (problems.length > 0) {
      set.takeBack(mark);
      quarantined.push({ record: textOf(), reason: problems.join('; ') });
    }
    for (const name in columns) {
      const column = own.column(name);
      if (column) own.set(column, row, columns[name]);
    }
    for (const [i, plan] of this.#plan.children.entries())
      if (plan.child.of === undefined) this.#complete(plan, mark[i + 1] ?? 0, row);
  }

  #from({ inherited: columns }: ChildPlan, row: number) {
    return { from: this.#page.set.own, row, columns };
  }

  /** Gives the rows of a child from `first` on what they have from their parent. */
  #complete(plan: ChildPlan, first: number, parent: number): void {
    const rows = this.#page.set.rowsOf(plan.name);
    if (rows.length === first) return;
    rows.inherit(first, this.#from(plan, parent));
    if (plan.numbered) numberEqual(rows, plan.child.table.key, first);
    else if (plan.child.of === undefined) rows.count(first);
  }

  #note({ path, value }: UnknownMember): void {
    if (this.#seen.has(path) || this.#seen.has('…')) return;
    if (this.#seen.size >= toldUnknown) {
      this.#more += 1;
      return;
    }
    this.#seen.add(path);
    this.#page.unknown.push({ member: path, example: jsonText(value ?? null).slice(0, 500) });
  }

  /** Says that there were more unknown members than are reported. */
  #tellMore(): void {
    if (this.#more === 0) return;
    this.#seen.add('…');
    this.#page.unknown.push({ member: '…', example: `${this.#more} more members in one record: they are in _extra` });
    this.#more = 0;
  }
}

/** The records of a child inside of a parent's; of one that was not parsed, whatever stands in their place. */
export const itemsOf = (path: string, record: unknown): readonly unknown[] =>
  path
    .split('.')
    .reduce<readonly unknown[]>(
      (found, member) => found.flatMap((item) => (memberOf(item, member) as unknown[] | null | undefined) ?? []),
      [record],
    );

/** A record with what stands in one of its members lifted into the record itself. One that has no such member is left as it is. */
function lifted(record: unknown, name: string | undefined): unknown {
  if (name === undefined || record === null || typeof record !== 'object') return record;
  const { [name]: inner, ...rest } = record as Record<string, unknown>;
  return inner === null || typeof inner !== 'object' ? record : { ...inner, ...rest };
}

/** A response that names other partition values than were asked for is not this partition's. */
function contradictionOf(
  claims: readonly Claim[],
  { values }: Partition,
  record: Record<string, unknown>,
): string | undefined {
  for (const { member, name } of claims) {
    const said = record[member];
    const asked = values[name]?.toLowerCase();
    if (typeof said === 'string' && said.toLowerCase() !== asked)
      return `${member} is ${said.slice(0, 80)}, but ${asked} was asked for`;
  }
  return undefined;
}

function reasonOf(error: z.ZodError): string {
  const shown = error.issues.slice(0, 3).map((issue) => `${issue.path.join('.') || 'record'}: ${issue.message}`);
  const more = error.issues.length > 3 ? ` (and ${error.issues.length - 3} more)` : '';
  return shown.join('; ') + more;
}
