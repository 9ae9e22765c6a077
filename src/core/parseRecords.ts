import type { z } from 'zod';
import { columnMeta, jsonText } from './columns.ts';
import type { Row, Value } from './columnType.ts';
import type { NetworkFacts } from './network.ts';
import type { Derived, Partition, Stream } from './stream.ts';
import { snakeCase } from './table.ts';

/** What a page of raw records became. */
export interface ParsedPage {
  readonly rows: Row[];
  readonly children: Record<string, Row[]>;
  readonly quarantined: { record: string; reason: string }[];
  readonly unknown: { member: string; example: string }[];
}

/**
 * Parses raw records with the stream's schema: one zod call for the page, and record by record only where that fails, so
 * that a bad record goes to quarantine alone. A record that contradicts its partition goes there too.
 *
 * @param raws records as parsed from JSON
 * @returns rows of the table and of each child, ready for Arrow; records that could not be read, whole, with the reason
 */
export function parseRecords(
  stream: Stream,
  partition: Partition,
  network: NetworkFacts,
  raws: readonly unknown[],
): ParsedPage {
  const page: ParsedPage = {
    rows: [],
    children: Object.fromEntries(Object.keys(stream.children).map((name) => [name, []])),
    quarantined: [],
    unknown: [],
  };
  const whole = stream.table.schema.array().safeParse(raws);
  const seen = new Set<string>();
  const claims = claimsOf(stream, partition);
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
    for (const reason of derived.problems ?? []) page.quarantined.push({ record: jsonText(raw), reason });
    const extra = stream.table.extraOf(raw);
    if (extra !== null) noteUnknown(page, seen, extra);
    const row = { ...partition.values, ...stream.table.toRow(record), ...derived.columns, _extra: extra };
    page.rows.push(row);
    addChildren(page, stream, partition, row, record, raw, derived);
  });
  return page;
}

function addChildren(
  page: ParsedPage,
  stream: Stream,
  partition: Partition,
  parent: Row,
  record: Record<string, unknown>,
  raw: unknown,
  derived: Derived,
): void {
  for (const [name, child] of Object.entries(stream.children)) {
    const own = child.of?.(record as never);
    const made = derived.children?.[name];
    if (!own?.length && !made?.length) continue;
    const inherited: Record<string, Value> = { ...partition.values };
    for (const { name: column } of child.table.columns) {
      const value = parent[column];
      if (value !== undefined && !column.startsWith('_')) inherited[column] = value;
    }
    const ownRaw = own ? child.of?.(raw as never) : undefined;
    own?.forEach((item, position) => {
      const row = {
        ...inherited,
        position,
        ...child.table.toRow(item),
        _extra: child.table.extraOf(ownRaw?.[position]),
      };
      page.children[name]?.push(row);
    });
    for (const row of made ?? []) page.children[name]?.push({ ...inherited, ...row });
  }
}

interface Claim {
  readonly member: string;
  readonly asked: string;
}

/** Members of a record that say again what was asked for. One that fills a column of another name says something else. */
function claimsOf(stream: Stream, partition: Partition): readonly Claim[] {
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

function noteUnknown(page: ParsedPage, seen: Set<string>, extra: string): void {
  for (const [member, value] of Object.entries(JSON.parse(extra) as object)) {
    if (seen.has(member)) continue;
    seen.add(member);
    page.unknown.push({ member, example: JSON.stringify(value).slice(0, 500) });
  }
}
