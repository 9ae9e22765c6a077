import type { z } from 'zod';
import { columnMeta, jsonText } from './columns.ts';
import type { Row } from './columnType.ts';
import { FirnError } from './firnError.ts';
import type { NetworkFacts } from './network.ts';
import { numberEqual } from './numberEqual.ts';
import type { Child, Declared, Derived, Partition } from './stream.ts';
import { snakeCase, type UnknownMember } from './table.ts';

/** What a page of raw records became. */
export interface ParsedPage {
  readonly rows: Row[];
  readonly children: Record<string, Row[]>;
  readonly quarantined: { record: string; reason: string }[];
  /** Members that the schema does not know, each by its path, with one value as JSON. */
  readonly unknown: { member: string; example: string }[];
}

/** A page that holds nothing yet. */
export const emptyPage = (stream: Declared): ParsedPage => ({
  rows: [],
  children: Object.fromEntries(Object.keys(stream.children).map((name) => [name, []])),
  quarantined: [],
  unknown: [],
});

/**
 * Parses raw records with the stream's schema: one zod call for the page, and record by record only where that fails, so
 * that a bad record goes to quarantine alone. A record that contradicts its partition goes there too.
 *
 * @param raws records as parsed from JSON
 * @param page what to add to
 * @returns rows of the table and of each child, ready for Arrow; records that could not be read, whole, with the reason
 */
export function parseRecords(
  stream: Declared,
  partition: Partition,
  network: NetworkFacts,
  raws: readonly unknown[],
  page = emptyPage(stream),
): ParsedPage {
  const before = page.rows.length;
  for (let from = 0; from < raws.length; from += recordsAtOnce)
    addRecords(stream, partition, network, raws.slice(from, from + recordsAtOnce), page);
  if (stream.table.key.includes('position')) numberEqual(page.rows.slice(before), stream.table.key);
  return page;
}

/** Records that one call of zod takes: what it makes of them is garbage once they are rows. */
const recordsAtOnce = 500;
/** zod would gather the issues of every item of a list, and end with a full stack above some 100,000. Its own `validate` sets this. */
const firstIssue = { abortEarly: true } as object;
/** A record with more values in it may be wrong as often: of that the first is told. */
const toldWhole = 10_000;

function addRecords(
  stream: Declared,
  partition: Partition,
  network: NetworkFacts,
  raws: readonly unknown[],
  page: ParsedPage,
): void {
  const { schema } = stream.table;
  const whole = schema.array().safeParse(raws, firstIssue);
  const seen = new Set(page.unknown.map(({ member }) => member));
  const { claims, template, children } = planOf(stream, partition);
  raws.forEach((raw, index) => {
    const parsed = whole.success
      ? { success: true as const, data: whole.data[index] }
      : schema.safeParse(raw, holdsAtMost(raw, toldWhole) ? undefined : firstIssue);
    if (!parsed.success) {
      page.quarantined.push({ record: jsonText(raw ?? null), reason: reasonOf(parsed.error) });
      return;
    }
    const record = parsed.data as Record<string, unknown>;
    const contradiction = contradictionOf(claims, record);
    if (contradiction) {
      page.quarantined.push({ record: jsonText(raw), reason: contradiction });
      return;
    }
    const derived: Derived = stream.derive?.(record as never, partition, network) ?? {};
    const row = { ...template };
    stream.table.fill(row, record);
    if (derived.columns) Object.assign(row, derived.columns);
    try {
      row['_extra'] = stream.table.extraOf(raw);
      const hasNew = addChildren(page, children, row, record, raw, derived);
      if (row['_extra'] !== null || hasNew) noteUnknown(page, seen, stream.table.unknownOf(raw));
    } catch (error) {
      if (!(error instanceof FirnError)) throw error;
      page.quarantined.push({ record: jsonText(raw), reason: error.message });
      return;
    }
    page.rows.push(row);
    if (derived.problems?.length) page.quarantined.push({ record: jsonText(raw), reason: derived.problems.join('; ') });
  });
}

/** Whether a value holds at most so many values, itself counted. */
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

/** What parsing needs to know of a stream and a partition. */
interface Plan {
  readonly stream: Declared;
  readonly claims: readonly Claim[];
  readonly template: Row;
  readonly children: readonly ChildTemplate[];
}

const plans = new WeakMap<Partition, Plan>();

/** Made once a read: made for every page of 100 records it would cost a thirtieth of the load. */
function planOf(stream: Declared, partition: Partition): Plan {
  const known = plans.get(partition);
  if (known?.stream === stream) return known;
  const plan = {
    stream,
    claims: claimsOf(stream, partition),
    template: stream.table.template(partition.values),
    children: childTemplates(stream, partition),
  };
  plans.set(partition, plan);
  return plan;
}

interface ChildTemplate {
  readonly name: string;
  readonly child: Child;
  readonly template: Row;
  /** Columns that a child has from its parent's row. */
  readonly inherited: readonly string[];
  /** Whether `position` counts rows that are alike; else it is the place in the record's own list. */
  readonly numbered: boolean;
}

function childTemplates(stream: Declared, partition: Partition): readonly ChildTemplate[] {
  const parents = new Set(stream.table.columns.map(({ name }) => name));
  return Object.entries(stream.children).map(([name, child]) => ({
    name,
    child,
    template: child.table.template(partition.values),
    inherited: child.table.columns
      .map((column) => column.name)
      .filter((column) => parents.has(column) && !column.startsWith('_')),
    numbered:
      child.table.key.includes('position') &&
      child.table.key.some((column) => column !== 'position' && !stream.table.key.includes(column)),
  }));
}

/**
 * Adds the rows of all children, or none of them where it throws.
 *
 * @returns whether a record of a child has members that its schema does not know
 * @throws FirnError as `extraOf` does
 */
function addChildren(
  page: ParsedPage,
  templates: readonly ChildTemplate[],
  parent: Row,
  record: Record<string, unknown>,
  raw: unknown,
  derived: Derived,
): boolean {
  let hasNew = false;
  const added: { to: Row[]; rows: readonly Row[] }[] = [];
  for (const { name, child, template, inherited, numbered } of templates) {
    const own = child.of?.(record as never);
    const made = derived.children?.[name];
    if (!own?.length && !made?.length) continue;
    const begin = { ...template };
    for (const column of inherited) begin[column] = parent[column] ?? null;
    const ownRaw = own ? child.of?.(raw as never) : undefined;
    const ownRows = (own ?? []).map((item, position) => {
      const row = { ...begin };
      if ('position' in row) row['position'] = position;
      child.table.fill(row, item);
      row['_extra'] = child.table.extraOf(ownRaw?.[position]);
      hasNew ||= row['_extra'] !== null;
      return row;
    });
    if (numbered) numberEqual(ownRows, child.table.key);
    for (const row of made ?? []) ownRows.push(Object.assign({ ...begin }, row));
    added.push({ to: page.children[name] ?? [], rows: ownRows });
  }
  for (const { to, rows } of added) for (const row of rows) to.push(row);
  return hasNew;
}

interface Claim {
  readonly member: string;
  readonly asked: string;
}

/** Members of a record that say again what was asked for. One that fills a column of another name says something else. */
function claimsOf(stream: Declared, partition: Partition): readonly Claim[] {
  return Object.entries(stream.table.schema.shape).flatMap(([member, schema]) => {
    const asked = partition.values[snakeCase(member)];
    const meta = columnMeta(bare(schema as z.ZodType));
    return asked !== undefined && meta && meta.name === undefined ? [{ member, asked: asked.toLowerCase() }] : [];
  });
}

function bare(schema: z.ZodType): z.ZodType {
  return 'unwrap' in schema && typeof schema.unwrap === 'function' ? bare(schema.unwrap() as z.ZodType) : schema;
}

/** A response that names other partition values than were asked for is not this partition's. */
function contradictionOf(claims: readonly Claim[], record: Record<string, unknown>): string | undefined {
  for (const { member, asked } of claims) {
    const said = record[member];
    if (typeof said === 'string' && said.toLowerCase() !== asked) {
      return `${member} is ${said}, but ${asked} was asked for`;
    }
  }
  return undefined;
}

function reasonOf(error: z.ZodError): string {
  const shown = error.issues.slice(0, 3).map((issue) => `${issue.path.join('.') || 'record'}: ${issue.message}`);
  const more = error.issues.length > 3 ? ` (and ${error.issues.length - 3} more)` : '';
  return shown.join('; ') + more;
}

/** Unknown members of a page that are told by name. */
const toldUnknown = 100;

function noteUnknown(page: ParsedPage, seen: Set<string>, unknown: Iterable<UnknownMember>): void {
  if (seen.size > toldUnknown) return;
  let more = 0;
  for (const { path, value } of unknown) {
    if (seen.has(path)) continue;
    if (seen.size === toldUnknown) {
      more += 1;
      continue;
    }
    seen.add(path);
    page.unknown.push({ member: path, example: jsonText(value ?? null).slice(0, 500) });
  }
  if (more === 0) return;
  seen.add('…');
  page.unknown.push({ member: '…', example: `${more} members more in one record: they are in _extra` });
}
