import { z } from 'zod';
import type { KnownGap } from '../../core/knownGap.ts';
import { fromCheckpointKey } from '../../core/stream/checkpointKey.ts';
import { isBackfill } from '../../load/bookkeeping/openBackfills.ts';
import type { Queries } from '../../load/database/transaction.ts';

type ReadKnown = (lake: Queries, table: string) => Promise<KnownGap[]>;

/** Asks a table of `firn` as the published version has it; an older one may lack it. */
const ofVersion = (name: string, read: ReadKnown) => async (lake: Queries) => {
  const [table] = await lake.query(
    `SELECT 1 AS one FROM duckdb_tables() WHERE database_name = 'reader' AND schema_name = 'firn' AND table_name = '${name}'`,
  );
  return table ? read(lake, `reader.firn.${name}`) : [];
};

const stretch = z.object({ next: z.number(), last: z.number() });
const stretches = z.object({ at: z.union([stretch, z.array(stretch)]) });

/** The positions that a table of checkpoints says are still to be read: of a backfill, and of stretches that workers read. */
export async function readUnread({ query }: Queries, table: string): Promise<KnownGap[]> {
  const rows = await query<{ stream: string; partition: string; position: string }>(
    `SELECT stream, "partition", "position" FROM ${table} WHERE ${isBackfill} ORDER BY 1, 2`,
  );
  return rows.flatMap(({ stream, partition, position }) => {
    // Of lists it says a page.
    const { data } = stretches.safeParse(JSON.parse(position));
    const of = { stream, partition: fromCheckpointKey(partition).partition };
    return [data?.at ?? []].flat().map(({ next, last }) => ({ ...of, from: next, to: last }));
  });
}

/** The gaps that a table of them names. */
export async function readGaps({ query }: Queries, table: string): Promise<KnownGap[]> {
  const rows = await query<{ stream: string; partition: string; low: bigint; high: bigint }>(
    `SELECT stream, "partition", from_position AS low, to_position AS high FROM ${table} ORDER BY 1, 2, 3, 4`,
  );
  return rows.map(({ stream, partition, low, high }) => ({ stream, partition, from: Number(low), to: Number(high) }));
}

/** What the published version says of gaps. */
export const knownGaps = ofVersion('gap', readGaps);

/** Positions that are still to be read between rows that were, as the published version says: a backfill that was interrupted. */
export const knownUnread = ofVersion('checkpoint', readUnread);
