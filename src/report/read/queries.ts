import { literal } from '../../core/text/sqlText.ts';
import { runsInFull } from '../../load/bookkeeping/runRecords.ts';
import { momentText } from '../texts/timeText.ts';
import { type ReportRow, text } from './rowValues.ts';

/**
 * The queries of status, report and metrics. All but that of comments run on the reader database and on a cluster's Trino; times come back as
 * milliseconds since the epoch (BIGINT), amounts as text. A table may not be there yet: `rowsIn` then reads nothing of it.
 */

/** All tables and views, as `schema.name`, with their columns in order. */
export const relationsSql = `
  SELECT table_schema || '.' || table_name AS relation, column_name AS "column", upper(data_type) AS type
  FROM information_schema.columns ORDER BY relation, ordinal_position`;

/** The comments of tables and views. */
export const relationCommentsSql = `
  SELECT schema_name || '.' || table_name AS relation, comment FROM duckdb_tables() WHERE comment IS NOT NULL
  UNION ALL SELECT schema_name || '.' || view_name, comment FROM duckdb_views() WHERE comment IS NOT NULL AND NOT internal`;

export const publishedSql = `
  SELECT "version", epoch_ms(published_at) AS at, files, "rows", bytes FROM firn.published`;

export const networkSql = `SELECT network, network_id FROM firn.network LIMIT 1`;

export const chainsSql = `SELECT chain_id, name, vm, alias FROM firn.chain ORDER BY pinned_at, chain_id`;

/** Names that the data service gives to chains. */
export const chainNamesSql = `SELECT chain_id, chain_name FROM raw.data_chains WHERE _valid_to IS NULL AND chain_name <> ''`;

/** Newest block of each EVM chain. */
export const chainHeadsSql = `
  SELECT chain_id, max(last_block) AS newest_block, epoch_ms(max(last_block_time)) AS newest_time
  FROM firn.coverage WHERE time_interval = 'day' GROUP BY chain_id`;

/** Newest container of each index, whose number says nothing of a height: an index may have been switched on late. */
export const containerHeadsSql = `
  SELECT index_name, CAST(NULL AS BIGINT) AS newest_block, epoch_ms(max("timestamp")) AS newest_time, max("index") AS "last" FROM raw.node_containers GROUP BY index_name`;

/** Blocks that are decoded out of containers: their tables, and the column of the height. */
export const decodedBlocks = [
  ['raw.node_containers_c_blocks', 'number'],
  ['raw.node_containers_p_blocks', 'height'],
  ['raw.node_containers_x_blocks', 'height'],
] as const;

/** The blocks in the newest containers of indexes, where they are decoded. @param heads as `containerHeadsSql` gave them, one or more */
export function decodedHeadSql([table, height]: (typeof decodedBlocks)[number], heads: readonly ReportRow[]): string {
  const rows = heads.map((head) => `(${literal(text(head['index_name']))}, ${head['last']}, ${head['newest_time']})`);
  return `
  SELECT b.index_name, b."${height}" AS newest_block, coalesce(epoch_ms(b."timestamp"), c.newest_time) AS newest_time
  FROM (VALUES ${rows.join(', ')}) AS c (index_name, "last", newest_time)
  JOIN ${table} AS b ON b.index_name = c.index_name AND b."index" = c."last"`;
}

export const verdictsSql = `
  SELECT chain_id, metric, time_interval, verdict, variant, CAST(scale AS VARCHAR) AS scale, count(*) AS buckets,
    epoch_ms(min(bucket)) AS first_bucket, epoch_ms(max(bucket)) AS last_bucket
  FROM mart.reconciliation GROUP BY chain_id, metric, time_interval, verdict, variant, scale
  ORDER BY chain_id, metric, time_interval, verdict, variant, scale`;

/** Up to $1 buckets, newest first, of every series and verdict that is explained; $2 = the verdicts that are not. */
export const examplesSql = `
  SELECT chain_id, metric, time_interval, verdict, variant, CAST(scale AS VARCHAR) AS scale, epoch_ms(bucket) AS bucket,
    CASE WHEN own_denominator = 1 THEN CAST(own_numerator AS VARCHAR) ELSE CAST(own_value AS VARCHAR) END AS own,
    served_text, difference_text, first_block, last_block, epoch_ms(fetched_at) AS fetched_at, note, query
  FROM (
    SELECT *, row_number() OVER (PARTITION BY chain_id, metric, time_interval, verdict, variant, scale ORDER BY bucket DESC) AS place
    FROM mart.reconciliation WHERE strpos(',' || $2 || ',', ',' || verdict || ',') = 0
  ) AS r
  WHERE place <= $1
  ORDER BY chain_id, metric, time_interval, verdict, variant, scale, r.bucket DESC`;

/** Stands for mart.metric where no model was built. */
export const noMetrics = `(SELECT CAST(NULL AS VARCHAR) AS chain_id, CAST(NULL AS VARCHAR) AS metric, CAST(NULL AS VARCHAR) AS time_interval, CAST(NULL AS TIMESTAMP(6)) AS bucket,
  CAST(NULL AS DECIMAL(38,0)) AS numerator, CAST(NULL AS DECIMAL(38,0)) AS denominator, CAST(NULL AS DOUBLE) AS "value", CAST(NULL AS BOOLEAN) AS covered, CAST(NULL AS BIGINT) AS first_block,
  CAST(NULL AS BIGINT) AS last_block WHERE false)`;

/** Series with recomputed values, served or not. */
export const ownSeriesSql = `
  SELECT chain_id, metric, time_interval, count(*) AS buckets FROM mart.metric
  GROUP BY chain_id, metric, time_interval ORDER BY chain_id, metric, time_interval`;

/**
 * Rows of a stream's table, and the newest of them that is dated up to a moment.
 *
 * @param time column of the rows' own time, if there is one
 * @param until ms since the epoch
 */
export function tableSql(table: string, time: string | undefined, until: number): string {
  const newest = `epoch_ms(max(CASE WHEN "${time}" <= TIMESTAMP '${momentText(until)}' THEN "${time}" END))`;
  return `SELECT count(*) AS "rows", ${time === undefined ? 'CAST(NULL AS BIGINT)' : newest} AS newest FROM ${table}`;
}

/** Rows, loads and checkpoint of each partition. A version that 0.1 published does not count child rows. @param columns of `firn.load` */
export const partitionsSql = (columns: ReadonlyMap<string, string>): string => `
  WITH loaded AS (
    SELECT stream, "partition", CAST(sum(rows_written${columns.has('child_rows_written') ? ' - coalesce(child_rows_written, 0)' : ''}) AS BIGINT) AS "rows",
      CAST(sum(rows_quarantined) AS BIGINT) AS quarantined,
      max(committed_at) AS last_load
    FROM firn.load GROUP BY stream, "partition"
  )
  SELECT stream, "partition", coalesce(l."rows", 0) AS "rows", coalesce(l.quarantined, 0) AS quarantined,
    epoch_ms(l.last_load) AS last_load, c."position"
  FROM loaded AS l FULL JOIN firn.checkpoint AS c USING (stream, "partition")
  ORDER BY stream, "partition"`;

/** The newest, and the last that went well, are looked for without their summaries, each of which may be a megabyte. */
export const runsSql = `
  SELECT run_id, command, epoch_ms(started_at) AS started_at, epoch_ms(finished_at) AS finished_at, exit_code, summary
  FROM firn.run AS r WHERE run_id IN (SELECT run_id FROM firn.run ORDER BY started_at DESC LIMIT ${runsInFull})
    OR run_id = (SELECT run_id FROM firn.run WHERE exit_code = 0 ORDER BY started_at DESC LIMIT 1)
  ORDER BY r.started_at DESC`;

/** The last check of each audit. A version that 0.1 published has no column `problem`. @param columns of the table */
export const auditsSql = (columns: ReadonlyMap<string, string>): string => {
  const problem = columns.has('problem') ? 'problem' : 'CAST(NULL AS VARCHAR)';
  return `
  SELECT name, failed_rows, epoch_ms(checked_at) AS checked_at, coalesce(${problem}, example) AS example, ${problem} IS NOT NULL AS could_not_look
  FROM (SELECT *, row_number() OVER (PARTITION BY name ORDER BY checked_at DESC) AS place FROM firn.audit) AS a
  WHERE place = 1 ORDER BY name`;
};

export const quotaSql = `
  SELECT source, epoch_ms(CAST("day" AS TIMESTAMP)) AS "day", units FROM firn.quota ORDER BY firn.quota."day" DESC, source LIMIT 200`;

export const coverageSql = `
  SELECT chain_id, epoch_ms(bucket) AS "day", state, blocks, transactions,
    CASE
      WHEN traces_covered AND receipts_covered THEN 'traces'
      WHEN receipts_covered THEN 'receipts'
      WHEN blocks_covered THEN 'blocks'
      ELSE 'holes'
    END AS level
  FROM firn.coverage AS c WHERE time_interval = 'day' ORDER BY chain_id, c.bucket`;

export const gapCountsSql = 'SELECT stream, count(*) AS gaps FROM firn.gap GROUP BY stream';

/** The newest members that no schema knows, and how many there are. */
export const schemaChangesSql = `
  SELECT stream, member, left(example, 500) AS example, epoch_ms(seen_at) AS seen_at, count(*) OVER () AS members
  FROM firn.schema_change AS c ORDER BY c.seen_at DESC, stream, member LIMIT 200`;

/** CSV files of the folder `refs` that could not be loaded. */
export const unloadedSql = 'SELECT file, problem FROM firn.reference WHERE problem IS NOT NULL ORDER BY file';

export const freshnessSql = `
  SELECT chain_id, metric, time_interval, epoch_ms(newest_bucket) AS newest_bucket, lag_seconds, revised_buckets, settled_after_seconds
  FROM mart.served_freshness ORDER BY chain_id, metric, time_interval`;
