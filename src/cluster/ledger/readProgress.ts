import { forLater } from '../../core/exitCode.ts';
import { querySql } from '../../load/packageFiles.ts';
import { partFrom } from './again.ts';
import type { Sql } from './control.ts';
import { isoTime } from './isoTime.ts';
import { isTaken } from './leases.ts';
import { readTasks, type TaskUnderWay } from './readTasks.ts';

/** How far workers and appliers are. */
export interface ClusterProgress {
  readonly partitions: readonly PartitionProgress[];
  /** Tables with staged files that are not part of the lake yet. */
  readonly waiting: readonly WaitingTable[];
  /** What processes do alone now, such as a build. */
  readonly tasks: readonly TaskUnderWay[];
}

/** A partition as the ledger knows it. */
export interface PartitionProgress {
  readonly stream: string;
  readonly partition: string;
  /** Where everything before was read, as JSON; null before the first read, and of what has no positions, such as lookups. */
  readonly position: string | null;
  /** The first position of which only a part was taken; null where there is none. */
  readonly partFrom: number | null;
  /** When it was last read, ISO 8601; null before the first read. */
  readonly readAt: string | null;
  /** Stretches of positions that are not read to their end, and parts that a worker holds now. */
  readonly stretches: number;
  readonly held: number;
  /** Machine and process of each worker that holds one. */
  readonly owners: readonly string[];
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

/** When the last of a partition's newest loads was committed. Of those that are read at once the newest number may come first; all that there are would be too many. */
const newestLoads = `SELECT max(committed_at) AS at FROM (
  SELECT committed_at FROM firn.load WHERE (stream, partition) = (p.stream, p.partition) ORDER BY load_id DESC LIMIT 100) AS newest`;

/** Reads how far a cluster is; nothing waits for it. */
export async function readProgress(control: Sql): Promise<ClusterProgress> {
  const partitions = await control.query<PartitionProgress>(
    `SELECT p.stream, p.partition, coalesce('{"next":' || p.joined_to || '}', max(cursor) FILTER (WHERE first_position IS NULL AND beside IS NULL)) AS position,
       ${partFrom}::float8 AS "partFrom", count(*) FILTER (WHERE first_position IS NOT NULL AND NOT is_done)::float8 AS stretches,
       count(*) FILTER (WHERE ${isTaken})::float8 AS held,
       coalesce(array_agg(DISTINCT owner) FILTER (WHERE ${isTaken}), '{}') AS owners, max(problem) AS problem,
       ${isoTime(`greatest(max((to_jsonb(w) ->> 'read_at')::timestamptz) AT TIME ZONE 'UTC', l.at)`)} AS "readAt"
     FROM firn.partition AS p JOIN firn.part AS w USING (stream, partition)
     LEFT JOIN LATERAL (${newestLoads}) AS l ON true
     GROUP BY p.stream, p.partition, l.at ORDER BY 1, 2`,
  );
  const waiting = await control.query<WaitingTable>(
    `SELECT table_name AS "table", count(*)::float8 AS files, sum(rows)::float8 AS rows, sum(bytes)::float8 AS bytes,
       ${isoTime(`min(committed_at) AT TIME ZONE 'UTC'`)} AS since
     FROM firn.batch_file WHERE applied_at IS NULL GROUP BY 1 ORDER BY 1`,
  );
  return { partitions, waiting, tasks: await readTasks(control) };
}

/** What workers last told of a partition, and when: as status tells it of runs. */
export interface ToldByWorkers {
  readonly stream: string;
  readonly partition: string;
  readonly outcome: string;
  readonly message: string | null;
  readonly code: string | null;
  readonly behind: number | null;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/**
 * What became of every partition when workers last read it: failed, where any part of it did; nothing of one that is being read, or that has been due
 * for a day when any was last read: it is not configured any more. `read` is when each was last read to its source's end, and `heardAt` when any worker last held a part or told of one, in
 * milliseconds since the epoch.
 */
export async function readOutcomes(control: Sql): Promise<{
  readonly last: readonly ToldByWorkers[];
  readonly read: readonly ToldByWorkers[];
  readonly heardAt: number | null;
}> {
  const rows = await control.query<Told>(querySql('cluster_outcomes'), [forLater]);
  const [heard] = await control.query<{ at: number | null }>(
    `SELECT (extract(epoch FROM greatest(max((to_jsonb(w) ->> 'looked_at')::timestamptz), CASE WHEN bool_or(${isTaken}) THEN clock_timestamp() END)) * 1000)::bigint::float8 AS at
     FROM firn.part AS w`,
  );
  return {
    last: rows.flatMap(({ read_at: _, outcome, at, ...told }) => (outcome && at ? [{ ...told, outcome, at }] : [])),
    read: rows.flatMap(({ stream, partition, read_at: at }) =>
      at ? [{ stream, partition, outcome: 'done', message: null, code: null, behind: null, at }] : [],
    ),
    heardAt: heard?.at ?? null,
  };
}

type Told = Omit<ToldByWorkers, 'outcome' | 'at'> & {
  readonly outcome: string | null;
  readonly at: number | null;
  readonly read_at: number | null;
};
