import type { Layout } from '../../core/columns/layout.ts';
import { utcColumn } from '../../core/columns/parquetColumns.ts';
import { groupBy } from '../../core/groupBy.ts';
import { literal, identifier as name } from '../../core/text/sqlText.ts';
import type { CatalogueTable } from './publishedTables.ts';

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
export interface ChainSpan {
  readonly chain: string | null;
  readonly from: string | null;
  readonly until: string | null;
}

/** A stretch with its rows. */
export interface Span extends ChainSpan {
  readonly groups: readonly Group[];
  /** Whether rows without time or height may be among them. */
  readonly takesMissing?: boolean;
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

/** SQL of the chain, as text: ids may be numbers. */
export const chainSql = ({ chain, by }: Layout): string =>
  by && chain !== undefined ? `CAST(${name(chain)} AS VARCHAR)` : 'NULL';

/** Rows of a month or a million heights above which it is cut. */
export interface Cuts {
  readonly most: number;
  /** Of the newest of a chain: a file that grows is written again each time. */
  readonly growing: number;
}

/**
 * The spans that files are put together of, by chain and in order: a month or a million heights, of those with many rows a day or 100,000
 * heights. Rows without time or height go with the first.
 *
 * @param before spans of the files of the version before: what they divide stays so, and what lies in a single one stays in it until it has twice as
 * many rows, for what is known of sizes changes with what is written
 * @param kept those among them that stay as they are, beside the groups
 */
export function chainSteps(
  groups: readonly Group[],
  kind: 'time' | 'height',
  { most, growing }: Cuts,
  { before, kept }: { readonly before: readonly Span[]; readonly kept: readonly Span[] } = { before: [], kept: [] },
): Span[][] {
  const chains = new Set([...groups, ...kept].map(({ chain }) => chain));
  return [...chains].sort(nullFirst).map((chain) => {
    const isOwn = (of: { readonly chain: string | null }) => of.chain === chain;
    const [own, files, beside] = [groups.filter(isOwn), before.filter(isOwn), kept.filter(isOwn)];
    const isNewest = (parts: readonly Group[], { from }: Span) =>
      parts.at(-1) === own.at(-1) && !beside.some((span) => precedes(from, span.from));
    const mostOf = (parts: readonly Group[], whole: Span) =>
      isNewest(parts, whole) ? Math.min(most, growing * (files.some((span) => covers(span, whole)) ? 2 : 1)) : most;
    const isCut = (parts: readonly Group[], whole: Span) =>
      rowsOf(parts) > mostOf(parts, whole) || files.some((span) => divides(span, whole));
    const all = [...stepsOf(own, isCut, kind), ...beside].sort((a, b) => (precedes(a.from, b.from) ? -1 : 1));
    return all.map((span, i) => (i === 0 && beside.includes(span) ? { ...span, takesMissing: true } : span));
  });
}

/** @param isCut whether a month or a million heights is cut */
function stepsOf(
  ofChain: readonly Group[],
  isCut: (parts: readonly Group[], whole: Span) => boolean,
  kind: 'time' | 'height',
): Span[] {
  const [first, ...rest] = [...groupBy(ofChain, ({ slice }) => slice && coarseOf(slice, kind)).values()].flatMap(
    (parts) => {
      const whole = stepOf(parts, kind, false);
      return isCut(parts, whole) ? parts.map((part) => stepOf([part], kind, true)) : [whole];
    },
  );
  const [second, ...others] = rest;
  if (!first) return [];
  if (first.from !== null || !second) return [first, ...rest];
  return [{ ...second, groups: [...first.groups, ...second.groups] }, ...others];
}

const nullFirst = (a: string | null, b: string | null) => (a === b ? 0 : a === null || (b !== null && a < b) ? -1 : 1);

/** Whether a bound of a span lies within another span. */
const divides = ({ from, until }: Span, whole: Span) =>
  [from, until].some((bound) => bound !== null && precedes(whole.from, bound) && precedes(bound, whole.until));

/** Whether a span holds all of another one. */
const covers = ({ from, until }: Span, whole: Span) =>
  from !== null && !precedes(whole.from, from) && !precedes(until, whole.until);

/** Order of heights and of times as text; whatever is known comes before NULL. */
export function precedes(a: string | null, b: string | null): boolean {
  if (a === null || b === null) return a !== null;
  const heights = /^-?\d+$/;
  return heights.test(a) && heights.test(b) ? BigInt(a) < BigInt(b) : a < b;
}

/** The bounds of the finest cut. */
export function sliceBounds(chain: string | null, slice: string, kind: 'time' | 'height'): ChainSpan {
  if (kind === 'height') {
    const from = BigInt(slice) * sliceWidth;
    return { chain, from: String(from), until: String(from + sliceWidth) };
  }
  const until = new Date(`${slice}T00:00:00Z`);
  until.setUTCDate(until.getUTCDate() + 1);
  return { chain, from: slice, until: until.toISOString().slice(0, 10) };
}

export const rowsOf = (groups: readonly Group[]): number => groups.reduce((sum, { rows }) => sum + Number(rows), 0);

const coarseOf = (slice: string, kind: 'time' | 'height') =>
  kind === 'time' ? slice.slice(0, 7) : String((BigInt(slice) * sliceWidth) / stepWidth);

function stepOf(groups: readonly Group[], kind: 'time' | 'height', isFine: boolean): Span {
  const { chain, slice } = groups[0] as Group;
  if (slice === null) return { chain, from: null, until: null, groups };
  if (isFine) return { ...sliceBounds(chain, slice, kind), groups };
  if (kind === 'height') {
    const from = ((BigInt(slice) * sliceWidth) / stepWidth) * stepWidth;
    return { chain, from: String(from), until: String(from + stepWidth), groups };
  }
  const [year = 0, month = 0] = slice.split('-').map(Number);
  const until = new Date(0);
  until.setUTCFullYear(year, month, 1);
  return { chain, from: `${slice.slice(0, 7)}-01`, until: until.toISOString().slice(0, 10), groups };
}

/** Spans that touch or overlap, joined. */
export function joinSpans(spans: readonly ChainSpan[]): ChainSpan[] {
  const joined: { -readonly [member in keyof ChainSpan]: ChainSpan[member] }[] = [];
  const inOrder = [...spans].sort((a, b) => nullFirst(a.chain, b.chain) || (precedes(a.from, b.from) ? -1 : 1));
  for (const span of inOrder) {
    const last = joined.at(-1);
    if (!last || last.chain !== span.chain || precedes(last.until, span.from)) joined.push({ ...span });
    else if (precedes(last.until, span.until)) last.until = span.until;
  }
  return joined;
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
  const within =
    span.takesMissing || span.groups.some(({ slice }) => slice === null) ? `(${known} OR ${missing})` : known;
  if (layout.chain === undefined) return within;
  const own = chainSql(layout);
  return `${span.chain === null ? `${own} IS NULL` : `${own} = ${literal(span.chain)}`} AND ${within}`;
}
