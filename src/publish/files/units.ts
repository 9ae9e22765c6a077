import { utcColumn } from '../../core/columns/parquetColumns.ts';
import { identifier as name } from '../../core/text/sqlText.ts';
import { sha256 } from '../../load/sha256.ts';
import type { ManifestFile } from '../manifest.ts';
import { foldSteps, keyOf } from './foldSteps.ts';
import { type CatalogueTable, type Outgoing, rowsIn } from './publishedTables.ts';
import type { PublishSource } from './publishSource.ts';
import {
  type ChainSpan,
  chainSql,
  chainSteps,
  type Group,
  joinSpans,
  precedes,
  rowsOf,
  type Span,
  sliceSql,
  spanSql,
} from './steps.ts';

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

/** Stretches in which alone rows may have come, gone or changed; null for anywhere. */
export type News = readonly ChainSpan[] | null;

export interface UnitOptions {
  /** A month or a million heights with more rows is cut further, by day or by 100,000 heights; the newest of a chain also with four times `fileBytes`. */
  readonly maxRows: number;
  /** Bytes to which the files of a large table are filled; a table of less than twice as many is one file. */
  readonly fileBytes: number;
  /** Identity of the state database: load ids of another one mean something else. */
  readonly stateId: string;
  /** The table's files in the version before. */
  readonly before: readonly ManifestFile[];
  /** Where rows may differ from those of the version before. */
  readonly news: News;
  /** Bytes that a row takes in a file, measured on a part of the table; asked where the version before cannot tell. */
  measure(): Promise<number>;
}

/**
 * Finds the units of a table and what tells whether they changed, in one pass over few columns: rows of raw tables are
 * never changed in place, so the sum of their load ids (which only grow) and the run of the newest load tell it exactly; in other
 * relations every value is hashed. Files in which nothing can have changed are not looked at.
 */
export async function findUnits(
  source: Pick<PublishSource, 'query'>,
  item: Outgoing,
  options: UnitOptions,
): Promise<readonly Unit[]> {
  if (item.table.isEmpty) return [];
  const shape = sha256(JSON.stringify([options.stateId, item.layout, item.columns])).slice(0, 16);
  const alike = options.before.filter(({ fingerprint }) => fingerprint.startsWith(`${shape}:`));
  const of = { ...options, before: alike, shape, sums: fingerprintSums(item.table) };
  const isAlike = alike.length > 0 && alike.length === options.before.length;
  return (isAlike && (await unitsBeside(source, item, of))) || allUnits(source, item, of);
}

interface Sought extends UnitOptions {
  /** Hash of all that files have in common. */
  readonly shape: string;
  /** SQL of what tells that rows changed. */
  readonly sums: readonly string[];
}

async function allUnits(source: Pick<PublishSource, 'query'>, item: Outgoing, of: Sought): Promise<readonly Unit[]> {
  const { layout } = item;
  const groups = await groupsIn(source, item, of, 'true');
  if (groups.length === 0) return [];
  const whole = unitOf('[]', groups, 'true', of);
  if (!layout.by) return [whole];
  const bytesPerRow = await estimate(whole.rows, of);
  // A table is cut once that is worth it, and stays cut.
  const isCut = of.before.some(({ unit }) => unit !== whole.key);
  if (whole.rows * bytesPerRow < of.fileBytes * (isCut ? 0.5 : 2)) return [whole];
  const before = isCut ? of.before : [];
  return cutUnits(item, layout.by.kind, { groups, kept: [] }, { ...of, bytesPerRow, before });
}

/**
 * The units where nothing changed but in some stretches: what lies there is looked at alone. Undefined where that cannot be relied on, or all must
 * be looked at anyway.
 */
async function unitsBeside(
  source: Pick<PublishSource, 'query'>,
  item: Outgoing,
  of: Sought,
): Promise<readonly Unit[] | undefined> {
  const { table, layout } = item;
  const { news, before } = of;
  const [first] = before;
  if (!news || !first) return undefined;
  const isCut = first.unit !== '[]';
  if (news.length > 0 && !(isCut && layout.by)) return undefined;
  const spans = before.map(spanOf);
  const touched = spans.filter((span) => news.some((bounds) => overlap(span, bounds)));
  const kept = spans.filter((span) => !touched.includes(span));
  const looked = joinSpans([...news, ...touched]);
  if (looked.length > mostSpans) return undefined;
  const condition = looked.map((span) => spanSql(table, layout, { ...span, groups: [] }));
  const groups = looked.length === 0 ? [] : await groupsIn(source, item, of, `(${condition.join(' OR ')})`);
  const rows = totalsOf([...groups, ...kept.flatMap((span) => span.groups)], of).rows;
  // Rows that went elsewhere, or have no time, are in no stretch that is known.
  if (table.viewSql === undefined) {
    const [counted] = await source.query<{ rows: bigint }>(`SELECT count(*) AS rows FROM ${rowsIn(table)}`);
    if (Number(counted?.rows) !== rows) return undefined;
  }
  if (!isCut || !layout.by) return [unitOf('[]', spanOf(first).groups, 'true', of)];
  const bytesPerRow = await estimate(rows, of);
  if (rows * bytesPerRow < of.fileBytes * 0.5) return undefined;
  return cutUnits(item, layout.by.kind, { groups, kept }, { ...of, bytesPerRow });
}

/** Joins what was found, and the files that stay, to files. */
function cutUnits(
  { table, layout }: Outgoing,
  kind: 'time' | 'height',
  { groups, kept }: { readonly groups: readonly Group[]; readonly kept: readonly Span[] },
  of: Sought & { readonly bytesPerRow: number },
): Unit[] {
  const cuts = { most: of.maxRows, growing: (4 * of.fileBytes) / of.bytesPerRow };
  return chainSteps(groups, kind, cuts, { before: of.before.map(spanOf), kept }).flatMap((steps) =>
    foldSteps(steps, of).map((span) => unitOf(keyOf(span), span.groups, spanSql(table, layout, span), of)),
  );
}

async function groupsIn(
  source: Pick<PublishSource, 'query'>,
  { table, layout }: Outgoing,
  { sums }: Sought,
  condition: string,
): Promise<readonly Group[]> {
  const range = layout.by ? utcColumn(table, layout.by.column) : 'NULL';
  const grouped = `
    SELECT ${chainSql(layout)} AS chain, CAST(${sliceSql(table, layout)} AS VARCHAR) AS slice, min(${sliceSql(table, layout)}) AS place,
      count(*) AS rows, CAST(min(${range}) AS VARCHAR) AS first, CAST(max(${range}) AS VARCHAR) AS last,
      ${sums.map((sum, i) => `CAST(${sum} AS VARCHAR) AS s${i}`).join(', ')}
    FROM ${rowsIn(table)} WHERE ${condition} GROUP BY 1, 2`;
  const at = sums.indexOf(newestLoadId);
  // Joined to the few groups: as a subquery of each it would look through all loads that ever were.
  const [run, loads] =
    at < 0
      ? ['', '']
      : [
          ` REPLACE (CAST(hash(run_id) AS VARCHAR) AS s${at})`,
          ` LEFT JOIN firn.load ON load_id = CAST(s${at} AS BIGINT)`,
        ];
  return source.query<Group>(
    `SELECT grouped.* EXCLUDE (place)${run} FROM (${grouped}) AS grouped${loads} ORDER BY chain NULLS FIRST, place NULLS FIRST`,
  );
}

function unitOf(key: string, parts: readonly Group[], condition: string, of: Sought): Unit {
  return { ...totalsOf(parts, of), key, chain: key === '[]' ? null : (parts[0]?.chain ?? null), condition };
}

/** A file's rows, as its manifest tells them. */
function spanOf({ unit, fingerprint, rows, first, last }: ManifestFile): Span {
  const [chain = null, from = null, until = null] = JSON.parse(unit) as (string | null)[];
  const [, , ...sums] = fingerprint.split(':');
  const told = Object.fromEntries(sums.map((sum, i) => [`s${i}`, sum]));
  return { chain, from, until, groups: [{ chain, slice: from, rows: BigInt(rows), first, last, ...told }] };
}

/** Spans of which each is a condition for every row: more take longer than to look at all. */
const mostSpans = 50;

/** Rows without time or height may lie anywhere. */
const overlap = (a: Span, b: ChainSpan) =>
  a.chain === b.chain && (a.from === null || (precedes(a.from, b.until) && precedes(b.from, a.until)));

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
  if (schema !== 'raw' || !has('_load_id'))
    return [`sum(hash(${columns.map((column) => name(column.name)).join(', ')}))`];
  // Snapshot rows are closed in place.
  const closing = has('_valid_to') ? ['count(_valid_to)', 'sum(CAST(epoch_us(_valid_to) AS HUGEINT))'] : [];
  return ['sum(CAST(_load_id AS HUGEINT))', newestLoadId, ...closing];
}

/** Told by the run that it was of: a state that was restored from a backup, or lost its last loads, gives the ids again. */
const newestLoadId = 'max(_load_id)';

function totalsOf(
  parts: readonly Group[],
  { sums, shape }: Sought,
): Pick<Unit, 'rows' | 'fingerprint' | 'first' | 'last'> {
  const totals = sums.map((_, i) => parts.reduce((sum, part) => sum + BigInt(part[`s${i}`] ?? 0), 0n));
  const rows = rowsOf(parts);
  return {
    rows,
    fingerprint: [shape, rows, ...totals].join(':'),
    first: parts.reduce<string | null>((least, { first }) => (precedes(first, least) ? first : least), null),
    last: parts.reduce<string | null>((most, { last }) => (most === null || precedes(most, last) ? last : most), null),
  };
}
