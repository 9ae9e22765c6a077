import { duckdbType } from '../../core/columns/columnType.ts';
import type { Table } from '../../core/columns/table.ts';
import { type Declared, tablesOf } from '../../core/stream/stream.ts';
import { identifier } from '../../core/text/sqlText.ts';
import type { Statements } from '../../load/database/transaction.ts';
import { variableBytesSql } from '../../publish/files/copySql.ts';
import { lakeTables } from '../engine/lakeTables.ts';

/** What a file holds, about. */
export interface FileSize {
  readonly rows: number;
  /** Of its texts and blobs, as they are in memory. */
  readonly bytes: number;
}

/** A condition on the rows of a table. */
export type PieceRows = (table: Table) => string;

/** A bucket is given a whole file from memory. */
export const usualSize: FileSize = { rows: 1_000_000, bytes: 512e6 };

/**
 * Cuts the tables of a stream into pieces, none of which is much larger in any of them than a file is to be. Rows that replace others together stay
 * together, children in the piece of their parent.
 *
 * @returns none where there are no rows
 */
export async function piecesOf(
  { query }: Pick<Statements, 'query'>,
  stream: Declared,
  size: FileSize,
): Promise<PieceRows[]> {
  // So many positions, or hashes, stay together: each by itself would be too many to sort.
  const apart = Math.ceil(size.rows / 10_000);
  const held = tablesOf([stream]).map((table) => heldSql(table, `${placeOf(stream, table)} // ${apart}`, size));
  const cuts = await query<{ from: bigint }>(
    `SELECT min(place) * ${apart} AS "from" FROM (
       SELECT place, floor(sum(files) OVER (ORDER BY place)) AS piece
       FROM (SELECT place, max(files) AS files FROM (${held.join(' UNION ALL ')}) AS held GROUP BY place) AS largest
     ) AS placed GROUP BY piece ORDER BY 1`,
  );
  return cuts.map(({ from }, piece) => (table) => {
    const place = placeOf(stream, table);
    const next = cuts[piece + 1];
    const conditions = [...(piece > 0 ? [`${place} >= ${from}`] : []), ...(next ? [`${place} < ${next.from}`] : [])];
    return conditions.join(' AND ') || 'true';
  });
}

/** How many files the rows of a table would fill, by place. */
function heldSql({ name, columns }: Table, place: string, { rows, bytes }: FileSize): string {
  const long = variableBytesSql(columns.map((column) => ({ name: column.name, type: duckdbType(column.type) })));
  return `SELECT ${place} AS place, greatest(count(*) / ${rows}, ${long} / ${bytes}) AS files FROM ${name} GROUP BY 1`;
}

/** The number by which rows are cut: their position, by which DuckDB passes over most of the others, or a hash of what those have in common that stay together. */
function placeOf(stream: Declared, { name, key }: Table): string {
  if (stream.way === 'range') return identifier(stream.position);
  const { replacedBy = key } = lakeTables([stream]).find((table) => table.name === name) ?? {};
  const together = replacedBy.filter((column) => stream.table.key.includes(column));
  const by = (together.length > 0 ? together : replacedBy).map(identifier).join(', ');
  return `(hash(${by}) % 1000000)`;
}
