import type { z } from 'zod';
import { columnMeta, jsonText } from './columns.ts';
import type { Row } from './columnType.ts';
import type { NetworkFacts } from './network.ts';
import { numberEqual } from './numberEqual.ts';
import { RowSet } from './rowSet.ts';
import type { Child, Declared, Derived, Partition } from './stream.ts';
import { snakeCase, type UnknownMember } from './table.ts';

/** What a page of raw records became. */
export interface ParsedPage {
  /** Rows of the table and of each child. */
  readonly set: RowSet;
  readonly quarantined: { record: string; reason: string }[];
  /** Members that the schema does not know, each by its path, with one value as JSON. */
  readonly unknown: { member: string; example: string }[];
}

/** A page that holds nothing yet. */
export const emptyPage = (stream: Declared, partition: Partition): ParsedPage => ({
  set: new RowSet(stream, partition),
  quarantined: [],
  unknown: [],
});

/**
 * Parses raw records with the stream's schema: one zod call for the page, and record by record only where that fails, so
 * that a bad record goes to quarantine alone. A record that contradicts its partition goes there too.
 *
 * @param raws records as parsed from JSON
 * @param page what to add to
 * @returns rows of the table and of each child; records that could not be read, whole, with the reason
 */
export function parseRecords(
  stream: Declared,
  partition: Partition,
  network: NetworkFacts,
  raws: readonly unknown[],
  page = emptyPage(stream, partition),
): ParsedPage {
  const whole = stream.table.schema.array().safeParse(raws);
  const seen = new Set(page.unknown.map(({ member }) => member));
  const { claims, children } = planOf(stream, partition);
  const before = page.set.own.length;
  raws.forEach((raw, index) => {
    const parsed = whole.success
      ? { success: true as const, data: whole.data[index] }
      : stream.table.schema.safeParse(raw);
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
    if (derived.problems?.length) page.quarantined.push({ record: jsonText(raw), reason: derived.problems.join('; ') });
    const row: Row = { position: 0, _extra: stream.table.extraOf(raw) };
    stream.table.fill(row, record);
    const number = page.set.own.append(Object.assign(row, derived.columns));
    const hasNew = addChildren(page.set, children, number, record, raw, derived);
    if (row['_extra'] !== null || hasNew) noteUnknown(page, seen, stream.table.unknownOf(raw));
  });
  if (stream.table.key.includes('position')) numberEqual(page.set.own, stream.table.key, before);
  return page;
}

/** What parsing needs to know of a stream and a partition. */
interface Plan {
  readonly stream: Declared;
  readonly claims: readonly Claim[];
  readonly children: readonly ChildPlan[];
}

const plans = new WeakMap<Partition, Plan>();

/** Made once a read: made for every page of 100 records it would cost a thirtieth of the load. */
function planOf(stream: Declared, partition: Partition): Plan {
  const known = plans.get(partition);
  if (known?.stream === stream) return known;
  const plan = { stream, claims: claimsOf(stream, partition), children: childPlans(stream) };
  plans.set(partition, plan);
  return plan;
}

interface ChildPlan {
  readonly name: string;
  readonly child: Child;
  /** Columns that a child has from its parent's row. */
  readonly inherited: readonly string[];
  /** Whether `position` counts rows that are alike; else it is the place in the record's own list. */
  readonly numbered: boolean;
}

function childPlans(stream: Declared): readonly ChildPlan[] {
  const parents = new Set(stream.table.columns.map(({ name }) => name));
  return Object.entries(stream.children).map(([name, child]) => ({
    name,
    child,
    inherited: child.table.columns
      .map((column) => column.name)
      .filter((column) => parents.has(column) && !column.startsWith('_')),
    numbered:
      child.table.key.includes('position') &&
      child.table.key.some((column) => column !== 'position' && !stream.table.key.includes(column)),
  }));
}

/** @returns whether a record of a child has members that its schema does not know */
function addChildren(
  set: RowSet,
  plans: readonly ChildPlan[],
  parent: number,
  record: Record<string, unknown>,
  raw: unknown,
  derived: Derived,
): boolean {
  let hasNew = false;
  for (const { name, child, inherited, numbered } of plans) {
    const own = child.of?.(record as never);
    const made = derived.children?.[name];
    const rows = set.children[name];
    if (!rows || (!own?.length && !made?.length)) continue;
    const fromParent = { from: set.own, row: parent, columns: inherited };
    const ownRaw = own ? child.of?.(raw as never) : undefined;
    const before = rows.length;
    own?.forEach((item, position) => {
      const row: Row = { position, _extra: child.table.extraOf(ownRaw?.[position]) };
      child.table.fill(row, item);
      hasNew ||= row['_extra'] !== null;
      rows.append(row, fromParent);
    });
    if (numbered) numberEqual(rows, child.table.key, before);
    for (const row of made ?? []) rows.append(row, fromParent);
  }
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

function noteUnknown(page: ParsedPage, seen: Set<string>, unknown: Iterable<UnknownMember>): void {
  for (const { path, value } of unknown) {
    if (seen.has(path)) continue;
    seen.add(path);
    page.unknown.push({ member: path, example: jsonText(value ?? null).slice(0, 500) });
  }
}
