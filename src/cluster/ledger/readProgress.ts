import type { Control } from './openControl.ts';

/** How far workers and appliers are. */
export interface ClusterProgress {
  readonly partitions: readonly PartitionProgress[];
  /** Tables with staged files that are not part of the lake yet. */
  readonly waiting: readonly WaitingTable[];
}

/** A partition as the ledger knows it. */
export interface PartitionProgress {
  readonly stream: string;
  readonly partition: string;
  /** Where everything before was read, as JSON; null before the first read. */
  readonly position: string | null;
  /** Stretches of positions that are not read to their end, and parts that a worker holds now. */
  readonly stretches: number;
  readonly held: number;
  /** What the last read failed with. */
  readonly problem: string | null;
}

export interface WaitingTable {
  readonly table: string;
  readonly files: number;
  readonly rows: number;
  readonly bytes: number;
  /** When the oldest was committed, ISO 8601. */
  readonly since: string;
}

/** Reads how far a cluster is; nothing waits for it. */
export async function readProgress(control: Pick<Control, 'query'>): Promise<ClusterProgress> {
  const partitions = await control.query<
    Record<keyof PartitionProgress, string | null> & { stream: string; partition: string }
  >(
    `SELECT p.stream, p.partition, coalesce('{"next":' || p.joined_to || '}', max(cursor) FILTER (WHERE first_position IS NULL AND beside IS NULL)) AS position,
       count(*) FILTER (WHERE first_position IS NOT NULL AND NOT is_done) AS stretches,
       count(*) FILTER (WHERE lease_until > clock_timestamp()) AS held, max(problem) AS problem
     FROM firn.partition AS p JOIN firn.part AS w USING (stream, partition) GROUP BY p.stream, p.partition, p.joined_to ORDER BY 1, 2`,
  );
  const waiting = await control.query<Record<keyof WaitingTable, string>>(
    `SELECT table_name AS "table", count(*) AS files, sum(rows) AS rows, sum(bytes) AS bytes,
       to_char(min(committed_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS since
     FROM firn.batch_file WHERE applied_at IS NULL GROUP BY 1 ORDER BY 1`,
  );
  return {
    partitions: partitions.map((row) => ({ ...row, stretches: Number(row.stretches), held: Number(row.held) })),
    waiting: waiting.map((row) => ({
      ...row,
      files: Number(row.files),
      rows: Number(row.rows),
      bytes: Number(row.bytes),
    })),
  };
}
