import { checkpointKeyOf, fromCheckpointKey } from '../../core/stream/checkpointKey.ts';
import { noteCheckpoint } from '../commit/checkpoints.ts';
import type { Statements } from '../database/transaction.ts';

/** A backfill that is not over: it was interrupted, or is to read again what went with another partition. */
export interface OpenBackfill {
  readonly stream: string;
  readonly partition: string;
  /** From where on it reads. */
  readonly asked: string;
}

/** Condition on checkpoints: those of backfills that read below a partition. */
export const isBackfill = `"partition" LIKE '%|backfill'`;

/** The backfills that are not over, in the order of their partitions. @param query gives rows of a state */
export async function openBackfills(query: Statements['query']): Promise<readonly OpenBackfill[]> {
  const rows = await query<{ stream: string; key: string; position: string }>(
    `SELECT stream, "partition" AS key, "position" FROM firn.checkpoint WHERE ${isBackfill} ORDER BY 1, 2`,
  );
  return rows.map(({ stream, key, position }) => {
    const { asked } = JSON.parse(position) as Pick<OpenBackfill, 'asked'>;
    return { stream, partition: fromCheckpointKey(key).partition, asked };
  });
}

/**
 * Has a backfill read a partition again from a bound on, to where a sync reads on, whatever rows it holds: of those between, some may be gone.
 * Runs inside the open transaction.
 */
export async function openBackfill(tx: Statements, { stream, partition, asked }: OpenBackfill): Promise<void> {
  await tx.run(noteCheckpoint(stream, checkpointKeyOf(partition, 'backfill'), { asked, to: null, at: null }));
}

/** The command with which a backfill goes on. */
export const backfillCommand = ({ stream, asked }: Pick<OpenBackfill, 'stream' | 'asked'>): string =>
  `"firn backfill ${stream} --from ${asked}"`;
