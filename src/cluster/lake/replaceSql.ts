import { identifier, literal } from '../../core/text/sqlText.ts';
import { withinSql } from '../../transform/changes/dirtyRanges.ts';

/**
 * The statement that puts the rows of a SELECT in the place of rows of a chain, in one commit. One row of the source, which alone names the
 * chain, meets all rows that go; the others meet none and are added. So rows need no key, and the statement may be run twice.
 *
 * @param columns of the table, in its order
 * @param rows condition on `t`: what goes
 */
export function replaceSql(
  table: string,
  columns: readonly string[],
  { chain, rows, select }: { readonly chain: string; readonly rows: string; readonly select: string },
): string {
  const names = columns.map(identifier);
  return `MERGE INTO ${table} AS t USING (
SELECT CAST(NULL AS VARCHAR) AS firn_chain, ${names.join(', ')} FROM (${select}) AS model
UNION ALL SELECT ${literal(chain)}, ${names.map(() => 'NULL').join(', ')}
) AS s ON t.chain_id = s.firn_chain AND t.chain_id = ${literal(chain)} AND (${rows})
WHEN MATCHED THEN DELETE
WHEN NOT MATCHED AND s.firn_chain IS NULL THEN INSERT (${names.join(', ')}) VALUES (${names.map((name) => `s.${name}`).join(', ')})`;
}

/**
 * The statement that brings a table of first sights up to date, as `buildEarliest` does. Rows that do not change are not written again.
 *
 * @param ranges hours that changed, as TIMESTAMP text
 * @param fresh SELECT of what is seen since the first of these hours
 */
export function earliestSql(
  table: string,
  columns: readonly string[],
  of: {
    readonly key: readonly string[];
    readonly chain: string;
    readonly ranges: Parameters<typeof withinSql>[1];
    readonly fresh: string;
  },
): string {
  const { key, chain, ranges, fresh } = of;
  const measures = columns.filter((name) => !key.includes(name)).map(identifier);
  const keys = key.map(identifier);
  const since = `TIMESTAMP ${literal(ranges.map(({ from }) => from).sort()[0] ?? '')}`;
  const lost = measures.map((name) => withinSql(name, ranges)).join(' OR ');
  const next = (name: string) => `coalesce(CASE WHEN o.${name} < ${since} THEN o.${name} END, f.${name})`;
  const sameKey = (a: string, b: string) => keys.map((name) => `${a}.${name} = ${b}.${name}`).join(' AND ');
  const isSeen = `coalesce(${[...measures.map((name) => `s.${name}`), 'NULL'].join(', ')}) IS NOT NULL`;
  const touched = `SELECT ${keys.join(', ')} FROM ${table} WHERE chain_id = ${literal(chain)} AND (${lost})
  UNION SELECT ${keys.join(', ')} FROM fresh WHERE ${lost}`;
  return `MERGE INTO ${table} AS t USING (
WITH fresh AS (${fresh}), touched AS (${touched})
SELECT ${keys.map((name) => `k.${name}`).join(', ')}, ${measures.map((name) => `${next(name)} AS ${name}`).join(', ')}
FROM touched AS k LEFT JOIN ${table} AS o ON ${sameKey('o', 'k')} LEFT JOIN fresh AS f ON ${sameKey('f', 'k')}
WHERE ${measures.map((name) => `o.${name} IS DISTINCT FROM ${next(name)}`).join(' OR ')}
) AS s ON ${sameKey('t', 's')}
WHEN MATCHED AND NOT (${isSeen}) THEN DELETE
WHEN MATCHED THEN UPDATE SET ${measures.map((name) => `${name} = s.${name}`).join(', ')}
WHEN NOT MATCHED AND ${isSeen} THEN INSERT (${columns.map(identifier).join(', ')}) VALUES (${columns.map((name) => `s.${identifier(name)}`).join(', ')})`;
}
