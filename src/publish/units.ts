import { createHash } from 'node:crypto';
import { identifier as name } from '../core/sqlText.ts';
import { foldSteps, keyOf } from './foldSteps.ts';
import type { ManifestFile } from './manifest.ts';
import { type CatalogueTable, rowsIn } from './publishedTables.ts';
import type { PublishSource } from './publishSource.ts';
import { chainSteps, type Group, sliceSql, spanSql } from './steps.ts';
import { utcColumn } from './typeProfile.ts';
import type { Outgoing } from './writeUnit.ts';

/** Rows that become one file: a table, or a stretch of time or heights of a chain in a large one. */
export interface Unit {
  /** Name of the unit inside its table: `[]` for all of it, else chain, first bound and the bound behind it, as JSON. */
  readonly key: string;
  readonly chain: string | null;
  readonly rows: number;
  /** Changes whenever a row of the unit does. */
  readonly fingerprint: string;
  /** First and last value of the column by which the table is cut, as text. */
  readonly first: string | null;
  readonly last: string | null;
  /** SQL condition that picks the rows. */
  readonly condition: string;
}

export interface UnitOptions {
  /** A month or a million heights with more rows is cut further: by day, or by 100,000 heights. */
  readonly maxRows: number;
  /** Bytes to which the files of a large table are filled; a table of less than twice as many is one file. */
  readonly fileBytes: number;
  /** Identity of the state database: load ids of another one mean something else. */
  readonly stateId: string;
  /** The table's files in the version before. */
  readonly before: readonly ManifestFile[];
  /** Bytes that a row takes in a file, measured on a part of the table; asked where the version before cannot tell. */
  measure(): Promise<number>;
}

/**
 * Finds the units of a table and what tells whether they changed, in one pass over few columns: rows of raw tables are
 * never changed in place, so the sum of their load ids (which only grow) and the run of the newest load tell it exactly; in other
 * relations every value is hashed.
 */
export async function findUnits(
  source: Pick<PublishSource, 'query'>,
  { table, layout, columns }: Outgoing,
  options: UnitOptions,
): Promise<readonly Unit[]> {
  if (table.isEmpty) return [];
  const sums = fingerprintSums(table);
  const chain = layout.by && layout.chain ? name(layout.chain) : 'NULL';
  const range = layout.by ? utcColumn(table, layout.by.column) : 'NULL';
  const groups = await source.query<Group>(`
    SELECT ${chain} AS chain, CAST(${sliceSql(table, layout)} AS VARCHAR) AS slice,
      count(*) AS rows, CAST(min(${range}) AS VARCHAR) AS first, CAST(max(${range}) AS VARCHAR) AS last,
      ${sums.map((sum, i) => `CAST(${sum} AS VARCHAR) AS s${i}`).join(', ')}
    FROM ${rowsIn(table)} GROUP BY 1, 2 ORDER BY 1 NULLS FIRST, min(${sliceSql(table, layout)}) NULLS FIRST`);
  if (groups.length === 0) return [];
  const shape = createHash('sha256')
    .update(JSON.stringify([options.stateId, layout, columns]))
    .digest('hex')
    .slice(0, 16);
  const unitOf = (key: string, parts: readonly Group[], condition: string): Unit => ({
    ...totalsOf(parts, sums.length, shape),
    key,
    chain: key === '[]' ? null : (parts[0]?.chain ?? null),
    condition,
  });
  const whole = unitOf('[]', groups, 'true');
  if (!layout.by) return [whole];
  const alike = options.before.filter(({ fingerprint }) => fingerprint.startsWith(`${shape}:`));
  const bytesPerRow = await estimate(whole.rows, options);
  // A table is cut once that is worth it, and stays cut.
  const isCut = alike.some(({ unit }) => unit !== whole.key);
  if (whole.rows * bytesPerRow < options.fileBytes * (isCut ? 0.5 : 2)) return [whole];
  const cut = { ...options, bytesPerRow, before: isCut ? alike : [] };
  return chainSteps(groups, layout.by.kind, options.maxRows).flatMap((steps) =>
    foldSteps(steps, cut).map((span) => unitOf(keyOf(span), span.groups, spanSql(table, layout, span))),
  );
}

/** Bytes that a row takes in a file: as in the version before, or in a part of the table that is written for it; 0 where that does not matter. */
async function estimate(rows: number, { before, fileBytes, measure }: UnitOptions): Promise<number> {
  const total = (of: 'rows' | 'bytes') => before.reduce((sum, file) => sum + file[of], 0);
  if (total('bytes') > fileBytes / 32) return total('bytes') / total('rows');
  return rows * widest < fileBytes ? 0 : measure();
}

/** Few rows have more bytes than this. */
const widest = 1_024;

function fingerprintSums({ schema, columns }: CatalogueTable): readonly string[] {
  const has = (column: string) => columns.some((candidate) => candidate.name === column);
  if (schema !== 'raw' || !has('_load_id')) {
    return [`sum(hash(${columns.map((column) => name(column.name)).join(', ')}))`];
  }
  // Snapshot rows are closed in place.
  const closing = has('_valid_to') ? ['count(_valid_to)', 'sum(CAST(epoch_us(_valid_to) AS HUGEINT))'] : [];
  // A state that was restored from a backup, or lost its last loads, gives their ids again.
  const run = '(SELECT hash(run_id) FROM firn.load WHERE load_id = max(_load_id))';
  return ['sum(CAST(_load_id AS HUGEINT))', run, ...closing];
}

function totalsOf(
  parts: readonly Group[],
  sums: number,
  shape: string,
): Pick<Unit, 'rows' | 'fingerprint' | 'first' | 'last'> {
  const totals = Array.from({ length: sums }, (_, i) =>
    parts.reduce((sum, part) => sum + BigInt(part[`s${i}`] ?? 0), 0n),
  );
  const rows = parts.reduce((sum, part) => sum + Number(part.rows), 0);
  return {
    rows,
    fingerprint: [shape, rows, ...totals].join(':'),
    first: parts.reduce<string | null>((least, { first }) => (isBefore(first, least) ? first : least), null),
    last: parts.reduce<string | null>((most, { last }) => (most === null || isBefore(most, last) ? last : most), null),
  };
}

/** Order of heights and of times as text; whatever is known comes before NULL. */
function isBefore(a: string | null, b: string | null): boolean {
  if (a === null || b === null) return a !== null;
  const heights = /^-?\d+$/;
  return heights.test(a) && heights.test(b) ? BigInt(a) < BigInt(b) : a < b;
}
