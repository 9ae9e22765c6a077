import { fixedBound } from '../../core/heights/fixedBound.ts';
import { mayBeBefore } from '../../core/heights/mayBeBefore.ts';
import { literal, ofPartition } from '../../core/text/sqlText.ts';
import type { Statements } from '../database/transaction.ts';

/** From where on partitions were read, by `stream partition`. */
export type Begun = ReadonlyMap<string, string>;

/** Reads all of it: of lists by address, each address is a partition. */
export async function readBegun(query: Statements['query']): Promise<Begun> {
  const rows = await query<{ name: string; from: string }>(
    `SELECT stream || ' ' || "partition" AS name, "from" FROM firn.begun`,
  );
  return new Map(rows.map(({ name, from }) => [name, from]));
}

/**
 * What to note of a read that begins now. Where nothing came of an earlier one, an age goes on as what it meant then.
 *
 * @param begun what is noted · @param now milliseconds since 1970
 */
export function begunFrom(begin: string, begun: string | null | undefined, now: number): string {
  const from = fixedBound(begin, now);
  return from !== begin && begun && !mayBeBefore(from, begun, now) ? begun : from;
}

/** Statements that note from where on a partition was read. */
export const noteBegun = (stream: string, partition: string, from: string): readonly string[] => [
  `DELETE FROM firn.begun WHERE ${ofPartition(stream, partition)}`,
  `INSERT INTO firn.begun VALUES (${literal(stream)}, ${literal(partition)}, ${literal(from)})`,
];

/** Notes that a backfill has read a partition further down, inside the open transaction. */
export async function lowerBegun(tx: Statements, stream: string, partition: string, from: string): Promise<void> {
  const [begun] = await tx.query<{ from: string }>(
    'SELECT "from" FROM firn.begun WHERE stream = $1 AND "partition" = $2',
    [stream, partition],
  );
  const now = Date.now();
  if (!begun || !mayBeBefore(from, begun.from, now)) return;
  for (const sql of noteBegun(stream, partition, fixedBound(from, now))) await tx.run(sql);
}
