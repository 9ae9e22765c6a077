import { createHash } from 'node:crypto';
import { literal, identifier as name, qualified } from '../core/sqlText.ts';
import type { CatalogueTable } from './publishedTables.ts';
import type { PublishSource } from './publishSource.ts';
import { partitionColumn, type TableLayout } from './tableLayout.ts';
import { type ParquetColumn, utcTimestamp } from './typeProfile.ts';

/** Rows that become one file: a partition (chain and month, or chain and range of heights), or a part of a big one. */
export interface Unit {
  /** Name of the unit inside its table: the hive values, and the day or sub-range of a cut partition. */
  readonly key: string;
  /** Hive values, first level first; null for NULL. */
  readonly partition: readonly (string | null)[];
  readonly rows: number;
  /** Changes whenever a row of the unit does. */
  readonly fingerprint: string;
  /** First and last value of the layout's range column, as text. */
  readonly first: string | null;
  readonly last: string | null;
  /** SQL condition that picks the rows. */
  readonly condition: string;
}

export interface UnitOptions {
  /** Chains whose months are cut by day from the start. */
  readonly daily: ReadonlySet<string>;
  /** A partition with more rows is cut: by day, or by 100,000 heights. */
  readonly maxRows: number;
  /** Identity of the state database: load ids of another one mean something else. */
  readonly stateId: string;
}

const rangeWidth = 1_000_000n;
const sliceWidth = 100_000n;

type Group = { chain: string | null; slice: string | null; rows: bigint; first: string | null; last: string | null } & {
  [sum: `s${number}`]: string | null;
};

/**
 * Finds the units of a table and what tells whether they changed, in one pass over few columns: rows of raw tables are
 * never changed in place, so the sum of their load ids (which only grow) tells it exactly; of other tables every value
 * is hashed.
 */
export async function findUnits(
  source: Pick<PublishSource, 'query'>,
  table: CatalogueTable,
  layout: TableLayout,
  columns: readonly ParquetColumn[],
  options: UnitOptions,
): Promise<readonly Unit[]> {
  const sums = fingerprintSums(table);
  const range = layout.range === undefined ? 'NULL' : utc(table, layout.range);
  const groups = await source.query<Group>(`
    SELECT ${layout.chain ? name(layout.chain) : 'NULL'} AS chain, CAST(${sliceOf(table, layout)} AS VARCHAR) AS slice,
      count(*) AS rows, CAST(min(${range}) AS VARCHAR) AS first, CAST(max(${range}) AS VARCHAR) AS last,
      ${sums.map((sum, i) => `CAST(${sum} AS VARCHAR) AS s${i}`).join(', ')}
    FROM ${qualified(table)} GROUP BY 1, 2 ORDER BY 1 NULLS FIRST, min(${sliceOf(table, layout)}) NULLS FIRST`);
  const shape = createHash('sha256')
    .update(JSON.stringify([options.stateId, layout, columns]))
    .digest('hex')
    .slice(0, 16);
  return byPartition(groups, layout).flatMap((parts) => {
    const rows = parts.reduce((sum, { rows }) => sum + Number(rows), 0);
    const chain = parts[0]?.chain ?? null;
    const cut = layout.by && (rows > options.maxRows || (chain !== null && options.daily.has(chain)));
    const pieces = cut ? parts.map((part) => [part]) : [parts];
    return pieces.map((piece) => unitOf(piece, table, layout, sums.length, shape, cut === true));
  });
}

function fingerprintSums({ schema, columns }: CatalogueTable): readonly string[] {
  const has = (column: string) => columns.some((candidate) => candidate.name === column);
  if (schema !== 'raw' || !has('_load_id')) {
    return [`sum(hash(${columns.map((column) => name(column.name)).join(', ')}))`];
  }
  // Snapshot rows are closed in place.
  const closing = has('_valid_to') ? ['count(_valid_to)', 'sum(CAST(epoch_us(_valid_to) AS HUGEINT))'] : [];
  return ['sum(CAST(_load_id AS HUGEINT))', ...closing];
}

/** The finest cut: a day, or 100,000 heights. Infinite times go with NULL. */
function sliceOf(table: CatalogueTable, { by }: TableLayout): string {
  if (!by) return 'NULL';
  const column = utc(table, by.column);
  return by.kind === 'time'
    ? `CASE WHEN isfinite(${column}) THEN CAST(${column} AS DATE) END`
    : `${column} // ${sliceWidth}`;
}

function utc(table: CatalogueTable, column: string): string {
  const type = table.columns.find((candidate) => candidate.name === column)?.type;
  return type === 'TIMESTAMP WITH TIME ZONE' ? utcTimestamp(name(column)) : name(column);
}

function byPartition(groups: readonly Group[], layout: TableLayout): Group[][] {
  const partitions = new Map<string, Group[]>();
  for (const group of groups) {
    const key = JSON.stringify([group.chain, layout.by ? levelOf(group.slice, layout.by.kind) : null]);
    const parts = partitions.get(key);
    if (parts) parts.push(group);
    else partitions.set(key, [group]);
  }
  return [...partitions.values()];
}

/** Hive value of the second level: a month, or a range of a million heights. */
function levelOf(slice: string | null, kind: 'time' | 'height'): string | null {
  if (slice === null) return null;
  if (kind === 'time') return slice.replace(/-\d+$/, '');
  const first = ((BigInt(slice) * sliceWidth) / rangeWidth) * rangeWidth;
  return `${padded(first)}-${padded(first + rangeWidth - 1n)}`;
}

const padded = (height: bigint) => String(height).padStart(12, '0');

function unitOf(
  parts: readonly Group[],
  table: CatalogueTable,
  layout: TableLayout,
  sums: number,
  shape: string,
  cut: boolean,
): Unit {
  const head = parts[0] as Group;
  const level = layout.by && levelOf(head.slice, layout.by.kind);
  const partition = [...(layout.chain ? [head.chain] : []), ...(level === undefined ? [] : [level])];
  const totals = Array.from({ length: sums }, (_, i) =>
    parts.reduce((sum, part) => sum + BigInt(part[`s${i}`] ?? 0), 0n),
  );
  const rows = parts.reduce((sum, part) => sum + Number(part.rows), 0);
  return {
    key: JSON.stringify([...partition, ...(cut ? [head.slice] : [])]),
    partition,
    rows,
    fingerprint: [shape, rows, ...totals].join(':'),
    first: parts.reduce<string | null>((least, { first }) => (isBefore(first, least) ? first : least), null),
    last: parts.reduce<string | null>((most, { last }) => (most === null || isBefore(most, last) ? last : most), null),
    condition:
      [
        ...(layout.chain ? [isValue(name(layout.chain), head.chain)] : []),
        ...sliceCondition(table, layout, head.slice, cut),
      ].join(' AND ') || 'true',
  };
}

/** Order of heights and of times as text; whatever is known comes before NULL. */
function isBefore(a: string | null, b: string | null): boolean {
  if (a === null || b === null) return a !== null;
  const heights = /^-?\d+$/;
  return heights.test(a) && heights.test(b) ? BigInt(a) < BigInt(b) : a < b;
}

const isValue = (column: string, value: string | null) =>
  value === null ? `${column} IS NULL` : `${column} = ${literal(value)}`;

function sliceCondition(table: CatalogueTable, { by }: TableLayout, slice: string | null, cut: boolean): string[] {
  if (!by) return [];
  const column = utc(table, by.column);
  if (slice === null) return [`(${column} IS NULL${by.kind === 'time' ? ` OR NOT isfinite(${column})` : ''})`];
  if (by.kind === 'time') {
    const first = cut ? slice : slice.replace(/-\d+$/, '-01');
    const width = cut ? 'INTERVAL 1 DAY' : 'INTERVAL 1 MONTH';
    return [`${column} >= DATE '${first}' AND ${column} < DATE '${first}' + ${width}`];
  }
  const width = cut ? sliceWidth : rangeWidth;
  const first = ((BigInt(slice) * sliceWidth) / width) * width;
  return [`${column} >= ${first} AND ${column} < ${first + width}`];
}

/** Names of the hive columns of a layout, first level first. */
export const partitionColumns = (layout: TableLayout): readonly string[] => [
  ...(layout.chain ? [layout.chain] : []),
  ...(layout.by ? [partitionColumn[layout.by.kind]] : []),
];
