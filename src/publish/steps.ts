import type { Layout } from '../core/layout.ts';
import { literal, identifier as name } from '../core/sqlText.ts';
import type { CatalogueTable } from './publishedTables.ts';
import { utcColumn } from './typeProfile.ts';

/** Rows that share the finest cut (a day, or 100,000 heights) and their chain, as text. */
export type Group = {
  chain: string | null;
  slice: string | null;
  rows: bigint;
  first: string | null;
  last: string | null;
} & {
  [sum: `s${number}`]: string | null;
};

/** A stretch of time or heights of a chain: from a bound on, until another one, as text; both null where no row tells. */
export interface Span {
  readonly chain: string | null;
  readonly from: string | null;
  readonly until: string | null;
  readonly groups: readonly Group[];
}

const stepWidth = 1_000_000n;
const sliceWidth = 100_000n;

/** Times that are not real dates (infinite, or in no calendar that others know) count as missing. */
const inCalendar = (column: string) => `${column} >= TIMESTAMP '0001-01-01' AND ${column} < TIMESTAMP '9999-12-01'`;

/** SQL of the finest cut: a day, or 100,000 heights. */
export function sliceSql(table: CatalogueTable, { by }: Layout): string {
  if (!by) return 'NULL';
  const column = utcColumn(table, by.column);
  return by.kind === 'time'
    ? `CASE WHEN ${inCalendar(column)} THEN CAST(${column} AS DATE) END`
    : `${column} // ${sliceWidth}`;
}

/**
 * The spans that files are put together of, by chain and in order: a month or a million heights, of those with many rows a day or 100,000
 * heights. Rows without time or height go with the first.
 */
export function chainSteps(groups: readonly Group[], kind: 'time' | 'height', maxRows: number): Span[][] {
  return grouped(groups, ({ chain }) => chain).map((ofChain) => {
    const [first, ...rest] = grouped(ofChain, ({ slice }) => slice && coarseOf(slice, kind)).flatMap((parts) =>
      rowsOf(parts) > maxRows ? parts.map((part) => stepOf([part], kind, true)) : [stepOf(parts, kind, false)],
    );
    const [second, ...others] = rest;
    if (!first) return [];
    if (first.from !== null || !second) return [first, ...rest];
    return [{ ...second, groups: [...first.groups, ...second.groups] }, ...others];
  });
}

export const rowsOf = (groups: readonly Group[]): number => groups.reduce((sum, { rows }) => sum + Number(rows), 0);

/** Neighbours with the same key, joined. */
function grouped<K>(groups: readonly Group[], keyOf: (group: Group) => K): Group[][] {
  const parts = new Map<K, Group[]>();
  for (const group of groups) parts.set(keyOf(group), [...(parts.get(keyOf(group)) ?? []), group]);
  return [...parts.values()];
}

const coarseOf = (slice: string, kind: 'time' | 'height') =>
  kind === 'time' ? slice.slice(0, 7) : String((BigInt(slice) * sliceWidth) / stepWidth);

function stepOf(groups: readonly Group[], kind: 'time' | 'height', isFine: boolean): Span {
  const { chain, slice } = groups[0] as Group;
  if (slice === null) return { chain, from: null, until: null, groups };
  if (kind === 'height') {
    const width = isFine ? sliceWidth : stepWidth;
    const from = ((BigInt(slice) * sliceWidth) / width) * width;
    return { chain, from: String(from), until: String(from + width), groups };
  }
  const [year = 0, month = 0, day = 0] = slice.split('-').map(Number);
  const from = isFine ? slice : `${slice.slice(0, 7)}-01`;
  const until = new Date(0);
  until.setUTCFullYear(year, isFine ? month - 1 : month, isFine ? day + 1 : 1);
  return { chain, from, until: until.toISOString().slice(0, 10), groups };
}

/** The condition that picks the rows of a span. */
export function spanSql(table: CatalogueTable, layout: Layout, span: Span): string {
  const { by } = layout;
  if (!by) return 'true';
  const column = utcColumn(table, by.column);
  const bound = (text: string) => (by.kind === 'time' ? `TIMESTAMP '${text}'` : text);
  const known =
    span.from === null || span.until === null
      ? 'false'
      : `(${column} >= ${bound(span.from)} AND ${column} < ${bound(span.until)})`;
  const missing = by.kind === 'time' ? `(${inCalendar(column)}) IS NOT TRUE` : `${column} IS NULL`;
  const within = span.groups.some(({ slice }) => slice === null) ? `(${known} OR ${missing})` : known;
  if (layout.chain === undefined) return within;
  const own = name(layout.chain);
  return `${span.chain === null ? `${own} IS NULL` : `${own} = ${literal(span.chain)}`} AND ${within}`;
}
