import type { LakeConnection } from './lakeConnection.ts';

/** Positions that a source does not have, passed over as the configuration allows (`firn.gap`). */
export interface KnownGap {
  readonly stream: string;
  readonly partition: string;
  readonly from: number;
  /** Below `from` where nothing is missing between two positions that do not follow each other. */
  readonly to: number;
}

/** What the published version says of gaps. */
export async function knownGaps(lake: LakeConnection): Promise<KnownGap[]> {
  const [table] = await lake.query(
    "SELECT 1 AS one FROM duckdb_tables() WHERE database_name = 'reader' AND schema_name = 'firn' AND table_name = 'gap'",
  );
  return table ? readGaps(lake, 'reader.firn.gap') : [];
}

/** The gaps that a table of them names. */
export async function readGaps({ query }: Pick<LakeConnection, 'query'>, table: string): Promise<KnownGap[]> {
  const rows = await query<{ stream: string; partition: string; low: bigint; high: bigint }>(
    `SELECT stream, "partition", from_position AS low, to_position AS high FROM ${table} ORDER BY 1, 2, 3, 4`,
  );
  return rows.map(({ stream, partition, low, high }) => ({ stream, partition, from: Number(low), to: Number(high) }));
}
