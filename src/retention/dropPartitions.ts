import type { Layout, Layouts } from '../core/columns/layout.ts';
import { utcColumn } from '../core/columns/parquetColumns.ts';
import { FirnError } from '../core/firnError.ts';
import { identifier, literal, nameOf, qualified } from '../core/text/sqlText.ts';
import type { Statements } from '../load/database/transaction.ts';
import { type CatalogueTable, publishedTables } from '../publish/files/publishedTables.ts';
import type { PublishSource } from '../publish/files/publishSource.ts';
import { chainSql } from '../publish/files/steps.ts';
import { freezeHistory, listSql, unmetChains } from './freezeHistory.ts';

export interface DropOptions {
  /** Days that stay, counted back from the newest row (the clock only bounds it); or a moment. Either goes back to the start of its month. */
  readonly keep: { readonly days: number } | { readonly from: Date };
  /** Which tables have times or heights, and whose times tell those of heights. */
  readonly layouts: Layouts;
  /** Names of raw tables, without the schema. Default: every one that is cut by time or height and is not needed whole. */
  readonly tables?: readonly string[] | undefined;
  /** Raw tables from which something is rebuilt every time, with their schema. */
  readonly needed?: ReadonlySet<string>;
  /** Raw tables from which hours of blocks are built, with their schema. Default: any may be one. */
  readonly ofBlocks?: ReadonlySet<string>;
  /** Only say what would be dropped. */
  readonly dryRun?: boolean;
}

export interface Dropped {
  readonly table: string;
  readonly rows: number;
}

/** What was dropped, the time from which rows stay (undefined where there are none), and the chains that wait, by their names in tables. */
export interface DropResult {
  readonly before: string | undefined;
  readonly dropped: readonly Dropped[];
  readonly waiting: readonly string[];
}

interface Candidate {
  readonly table: CatalogueTable;
  readonly layout: Layout;
}

/**
 * Deletes the oldest months from raw tables; the next publish leaves their files out. Marts keep what was computed from them, which is why
 * they must be built before. Tables that know only heights go by the times of the table they belong to (transactions by their blocks).
 * Snapshots stay, and so do the months of each chain's newest row in each table and of the last one before its hour. Chains of which blocks
 * below others are still to be read wait.
 *
 * @throws FirnError `usage` for an unknown table, one that is not cut by time or height, or one that is needed whole
 */
export async function dropPartitions(source: PublishSource, options: DropOptions): Promise<DropResult> {
  const raw = (await publishedTables(source))
    .filter(({ schema, viewSql }) => schema === 'raw' && viewSql === undefined)
    .map((table): Candidate => ({ table, layout: options.layouts.get(nameOf(table)) ?? { sort: [] } }))
    .filter(({ layout: { by, timesOf } }) => by?.kind === 'time' || (by && timesOf !== undefined));
  const needed = options.needed ?? new Set();
  const free = raw.filter(({ table }) => !needed.has(`raw.${table.name}`));
  const chosen = options.tables?.map((name) => find(free, name, needed)) ?? free;
  const before = await cutTime(source, raw, options.keep);
  const waiting = await unmetChains(source);
  if (before === undefined) return { before, dropped: [], waiting };
  const dropped: Dropped[] = [];
  const lost = new Set<string>();
  const cut: Cut = { before, waiting, byHeight: new Map() };
  await source.transaction(async (tx) => {
    // Tables that go by the times of others go before these.
    for (const candidate of [...chosen].sort((a, b) => Number(byTime(a)) - Number(byTime(b)))) {
      const table = `raw.${candidate.table.name}`;
      const condition = byTime(candidate)
        ? await ifOld(tx, candidate, cut)
        : await heightCondition(tx, candidate, raw, cut);
      if (condition === undefined) continue;
      const from = `FROM ${qualified(candidate.table)} WHERE ${condition}`;
      if (options.ofBlocks?.has(table) ?? true)
        for (const chain of await chainsOf(tx, candidate, from)) lost.add(chain);
      const rows = await tx.run(`DELETE ${from}`);
      if (rows > 0) dropped.push({ table, rows });
    }
    for (const { table, rows } of dropped)
      await tx.run(
        `INSERT INTO firn.dropped VALUES (${literal(table)}, TIMESTAMP ${literal(before)}, ${rows}, now()::TIMESTAMP)`,
      );
    if (dropped.length === 0) return;
    await freezeHistory(tx, before, { waiting, lost: [...lost] });
    // Views over these tables show less now.
    await tx.run('DELETE FROM firn.publish_state');
  }, !options.dryRun);
  return { before, dropped, waiting };
}

/** Rows from before a time go, but not those of some chains. */
interface Cut {
  readonly before: string;
  readonly waiting: readonly string[];
  /** Conditions of tables by height that were asked for: several go by the times of one table. */
  readonly byHeight: Map<string, string | undefined>;
}

const byTime = ({ layout }: Candidate) => layout.by?.kind === 'time';

function find(free: readonly Candidate[], name: string, needed: ReadonlySet<string>): Candidate {
  const wanted = name.replace(/^raw\./, '');
  const found = free.find(({ table }) => table.name === wanted);
  if (found) return found;
  const reason = needed.has(`raw.${wanted}`)
    ? 'every build makes tables from all of it'
    : 'it has neither time nor height, or does not exist';
  throw new FirnError(
    'usage',
    `Old rows of raw.${wanted} cannot be dropped: ${reason}. Name one of: ${free.map(({ table }) => table.name).join(', ')}.`,
  );
}

const timeOf = ({ table, layout }: Candidate) => utcColumn(table, layout.by?.column ?? '');

/**
 * Start of the oldest month that stays. A wrong time in the future must not let everything go: the clock bounds the newest row, and a
 * wrong clock meets only what sources say of their own rows.
 */
async function cutTime(
  source: PublishSource,
  raw: readonly Candidate[],
  keep: DropOptions['keep'],
): Promise<string | undefined> {
  const newest = raw
    .filter((candidate) => byTime(candidate) && !candidate.layout.ofReads)
    .map(
      (candidate) => `SELECT max(CAST(${timeOf(candidate)} AS TIMESTAMP)) AS newest FROM ${qualified(candidate.table)}`,
    );
  if (newest.length === 0) return undefined;
  const last = 'least(max(newest), now()::TIMESTAMP)';
  const from =
    'days' in keep
      ? `${last} - to_days(${keep.days})`
      : `least(${last}, TIMESTAMP ${literal(keep.from.toISOString().slice(0, 19).replace('T', ' '))})`;
  const [row] = await source.query<{ cut: string | null }>(
    `SELECT CAST(CAST(date_trunc('month', ${from}) AS TIMESTAMP) AS VARCHAR) AS cut FROM (${newest.join(' UNION ALL ')})`,
  );
  return row?.cut ?? undefined;
}

/** Chains of rows, by their names in the table. */
async function chainsOf(tx: Statements, { layout }: Candidate, from: string): Promise<string[]> {
  const rows = await tx.query<{ chain: string | null }>(`SELECT DISTINCT ${chainSql(layout)} AS chain ${from}`);
  return rows.flatMap((row) => row.chain ?? []);
}

/** Rows of a table by time that go; undefined where none is from before the cut, which is mostly so, and known without reading what is newer. */
async function ifOld(tx: Statements, candidate: Candidate, cut: Cut): Promise<string | undefined> {
  const old = await tx.query(
    `SELECT 1 AS one FROM ${qualified(candidate.table)} WHERE ${oldRows(candidate, cut)} LIMIT 1`,
  );
  return old.length === 0 ? undefined : timeCondition(candidate, cut);
}

/** Rows from before the cut, but for chains that wait. */
function oldRows(candidate: Candidate, { before, waiting }: Cut): string {
  const { layout } = candidate;
  const old = `${timeOf(candidate)} < TIMESTAMP ${literal(before)}`;
  return layout.chain === undefined ? old : `${old} AND ${chainSql(layout)} NOT IN ${listSql(waiting)}`;
}

/**
 * Rows from before the cut. Of each chain the month stays of the last row before its newest hour: what comes next may lie in that hour and have
 * it built again, and its first row must find the one it follows.
 */
function timeCondition(candidate: Candidate, cut: Cut): string {
  const { layout } = candidate;
  const time = timeOf(candidate);
  const table = qualified(candidate.table);
  const old = oldRows(candidate, cut);
  if (layout.chain === undefined)
    return `${old} AND ${time} < (SELECT date_trunc('month', max(${time})) FROM ${table})`;
  const name = chainSql(layout);
  return `${old} AND ${time} < (SELECT date_trunc('month', newest) FROM
    (SELECT of_chain, max(${time}) AS newest FROM ${table} JOIN
      (SELECT ${name} AS of_chain, date_trunc('hour', max(${time})) AS newest_hour FROM ${table} GROUP BY 1) ON of_chain IS NOT DISTINCT FROM ${name}
    WHERE ${time} < newest_hour GROUP BY 1) WHERE of_chain IS NOT DISTINCT FROM ${name})`;
}

/** Heights that go, by the times of the table they belong to; undefined where none can. */
async function heightCondition(
  tx: Statements,
  { layout }: Candidate,
  raw: readonly Candidate[],
  cut: Cut,
): Promise<string | undefined> {
  const timed = raw.find(({ table }) => nameOf(table) === layout.timesOf);
  if (!timed || layout.chain === undefined) return undefined;
  const height = identifier(layout.by?.column ?? '');
  const chain = chainSql(layout);
  const asked = `${layout.timesOf} ${chain} ${height}`;
  if (!cut.byHeight.has(asked)) cut.byHeight.set(asked, await belowFirsts(tx, timed, { chain, height }, cut));
  return cut.byHeight.get(asked);
}

/** Heights below the first one that stays in a table by time, per chain; undefined where it is empty. */
async function belowFirsts(
  tx: Statements,
  timed: Candidate,
  { chain, height }: { readonly chain: string; readonly height: string },
  cut: Cut,
): Promise<string | undefined> {
  const gone = (await ifOld(tx, timed, cut)) ?? oldRows(timed, cut);
  const firsts = await tx.query<{ chain: string; first: string }>(
    `SELECT ${chain} AS chain, CAST(min(${height}) AS VARCHAR) AS first FROM ${qualified(timed.table)}
     WHERE NOT (${gone}) GROUP BY 1 ORDER BY 1`,
  );
  const parts = firsts.map(({ chain: value, first }) => `(${chain} = ${literal(value)} AND ${height} < ${first})`);
  return parts.length === 0 ? undefined : parts.join(' OR ');
}
