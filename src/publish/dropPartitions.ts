import { FirnError } from '../core/firnError.ts';
import { type CatalogueTable, publishedTables } from './publishedTables.ts';
import type { PublishSource } from './publishSource.ts';
import { identifier, literal, qualified } from './sqlText.ts';
import { type TableLayout, tableLayout } from './tableLayout.ts';
import { utcTimestamp } from './typeProfile.ts';

export interface DropOptions {
  /** Days that stay, counted back from the newest row (never from the clock) to the start of its month. */
  readonly keepDays: number;
  /** Names of raw tables, without the schema. Default: every one that is cut by time or height. */
  readonly tables?: readonly string[];
}

export interface Dropped {
  readonly table: string;
  readonly rows: number;
}

interface Candidate {
  readonly table: CatalogueTable;
  readonly layout: TableLayout;
}

/**
 * Deletes the oldest months from raw tables; the next publish leaves their files out. Marts keep what was computed from them.
 * Tables that know only heights go by the times of the table they belong to (transactions by their blocks). Snapshots stay.
 *
 * @throws FirnError `usage` for an unknown table, or one that is not cut by time or height
 */
export async function dropPartitions(source: PublishSource, options: DropOptions): Promise<readonly Dropped[]> {
  const raw = (await publishedTables(source))
    .filter(({ schema, viewSql }) => schema === 'raw' && viewSql === undefined)
    .map((table): Candidate => ({ table, layout: tableLayout(table.columns) }))
    .filter(({ layout }) => layout.by !== undefined);
  const chosen = (options.tables ?? raw.map(({ table }) => table.name)).map((name) => find(raw, name));
  const cut = await cutTime(source, raw, options.keepDays);
  if (cut === undefined) return [];
  const dropped: Dropped[] = [];
  await source.run('BEGIN TRANSACTION');
  try {
    // Tables that go by the times of others go before these.
    for (const candidate of [...chosen].sort((a, b) => Number(byTime(a)) - Number(byTime(b)))) {
      const rows = await deleteBefore(source, candidate, raw, cut);
      if (rows > 0) dropped.push({ table: `raw.${candidate.table.name}`, rows });
    }
    await source.run('COMMIT');
  } catch (error) {
    await source.run('ROLLBACK').catch(() => {});
    throw error;
  }
  return dropped;
}

const byTime = ({ layout }: Candidate) => layout.by?.kind === 'time';

function find(raw: readonly Candidate[], name: string): Candidate {
  const found = raw.find(({ table }) => table.name === name);
  if (found) return found;
  throw new FirnError(
    'usage',
    `raw.${name} cannot be cut: it has neither time nor height, or does not exist. Tables that can: ${raw.map(({ table }) => table.name).join(', ')}.`,
  );
}

function timeOf({ table, layout }: Candidate): string {
  const column = layout.by?.column ?? '';
  const type = table.columns.find(({ name }) => name === column)?.type;
  return type === 'TIMESTAMP WITH TIME ZONE' ? utcTimestamp(identifier(column)) : identifier(column);
}

/** Start of the oldest month that stays. */
async function cutTime(
  source: PublishSource,
  raw: readonly Candidate[],
  keepDays: number,
): Promise<string | undefined> {
  const newest = raw
    .filter(byTime)
    .map(
      (candidate) => `SELECT max(CAST(${timeOf(candidate)} AS TIMESTAMP)) AS newest FROM ${qualified(candidate.table)}`,
    );
  if (newest.length === 0) return undefined;
  const [row] = await source.query<{ cut: string | null }>(
    `SELECT CAST(date_trunc('month', max(newest) - to_days(${keepDays})) AS VARCHAR) AS cut FROM (${newest.join(' UNION ALL ')})`,
  );
  return row?.cut ?? undefined;
}

async function deleteBefore(
  source: PublishSource,
  candidate: Candidate,
  raw: readonly Candidate[],
  cut: string,
): Promise<number> {
  const condition = byTime(candidate)
    ? `${timeOf(candidate)} < TIMESTAMP ${literal(cut)}`
    : await heightCondition(source, candidate, raw, cut);
  if (condition === undefined) return 0;
  const [deleted] = await source.query<{ Count: bigint }>(
    `DELETE FROM ${qualified(candidate.table)} WHERE ${condition}`,
  );
  return Number(deleted?.Count ?? 0);
}

/** Heights below the first one that stays, per chain, as the times of the nearest relative tell. */
async function heightCondition(
  source: PublishSource,
  { table, layout }: Candidate,
  raw: readonly Candidate[],
  cut: string,
): Promise<string | undefined> {
  const height = layout.by?.column ?? '';
  const relatives = raw.filter(
    (other) =>
      byTime(other) &&
      other.layout.chain === layout.chain &&
      other.layout.range === height &&
      layout.chain !== undefined,
  );
  const [nearest] = relatives.sort((a, b) => shared(b.table.name, table.name) - shared(a.table.name, table.name));
  if (!nearest || shared(nearest.table.name, table.name) < table.name.indexOf('_')) return undefined;
  const chain = identifier(layout.chain ?? '');
  const firsts = await source.query<{ chain: string; first: string }>(
    `SELECT ${chain} AS chain, CAST(min(${identifier(height)}) AS VARCHAR) AS first FROM ${qualified(nearest.table)}
     WHERE ${timeOf(nearest)} >= TIMESTAMP ${literal(cut)} GROUP BY 1 ORDER BY 1`,
  );
  const parts = firsts.map(
    ({ chain: value, first }) => `(${chain} = ${literal(value)} AND ${identifier(height)} < ${first})`,
  );
  return parts.length === 0 ? undefined : parts.join(' OR ');
}

/** Letters that two names begin with alike. */
function shared(a: string, b: string): number {
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  return i;
}
