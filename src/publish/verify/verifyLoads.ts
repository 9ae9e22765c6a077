import { literal, nameOf, qualified } from '../../core/text/sqlText.ts';
import type { ManifestTable } from '../manifest.ts';
import type { Failure } from './failure.ts';
import type { LakeConnection } from './lakeConnection.ts';

/**
 * Compares the rows that each load says it wrote with those that carry its id. Later loads replace rows, so a load may hold
 * fewer than it wrote, never more; and no row may come from a load that is not in `firn.load`.
 */
export async function verifyLoads(lake: LakeConnection, tables: readonly ManifestTable[]): Promise<Failure[]> {
  // Revisions, and what is kept once a day, are written beside the rows that a load counts.
  const loaded = tables.filter(
    ({ schema, name, columns }) =>
      schema === 'raw' && !/_(revisions|daily)$/.test(name) && columns.some((column) => column.name === '_load_id'),
  );
  if (loaded.length === 0) return [];
  const held = loaded
    .map(
      (table) =>
        `SELECT _load_id AS load_id, count(*) AS "rows", ${literal(nameOf(table))} AS item FROM ${qualified(table)} GROUP BY 1`,
    )
    .join(' UNION ALL ');
  const found = await lake.query<{ load_id: bigint; rows: bigint; written: bigint | null; items: string }>(`
    WITH held AS (SELECT load_id, sum("rows") AS "rows", string_agg(item, ', ' ORDER BY item) AS items FROM (${held}) GROUP BY 1)
    SELECT held.load_id, CAST(held."rows" AS BIGINT) AS "rows", load.rows_written AS written, items
    FROM held LEFT JOIN reader.firn.load AS load ON load.load_id = held.load_id
    WHERE load.load_id IS NULL OR held."rows" > load.rows_written
    ORDER BY 1 LIMIT 20`);
  return found.map(({ load_id, rows, written, items }) => ({
    check: 'load',
    item: items,
    message:
      written === null
        ? `${rows} rows come from load ${load_id}, which firn.load does not know`
        : `${rows} rows come from load ${load_id}, which wrote ${written}`,
  }));
}
