import { isObject } from '../../core/json/answerParts.ts';
import type { Position } from '../../core/stream/partition.ts';
import { literal, literalOrNull } from '../../core/text/sqlText.ts';
import type { Statements } from '../database/transaction.ts';
import type { Warehouse } from '../state/warehouse.ts';
import { noteBegun } from './begun.ts';

/** The durable position of a partition, null where it was never read. */
export async function readCheckpoint<At extends Position = Position>(
  statements: Pick<Statements, 'query'>,
  stream: string,
  partition: string,
): Promise<At | null> {
  const [row] = await statements.query<{ position: string }>(
    'SELECT "position" FROM firn.checkpoint WHERE stream = $1 AND "partition" = $2',
    [stream, partition],
  );
  return positionOf(row?.position) as At | null;
}

/** Canonical text of a position: members in order of their names. */
export function positionText(position: Position | null): string | null {
  if (position === null) return null;
  return JSON.stringify(position, (_, value: unknown) =>
    isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
}

/** The position that such a text says; null for none. */
export const positionOf = (text: string | null | undefined): Position | null =>
  text ? (JSON.parse(text) as Position) : null;

/** The statement that notes a position. @param key of the checkpoint, which there is none of · @param load that moved it last; 0 beside all loads */
export const noteCheckpoint = (stream: string, key: string, position: Position, load: number | string = 0): string =>
  `INSERT INTO firn.checkpoint VALUES (${literal(stream)}, ${literal(key)}, ${literalOrNull(positionText(position))}, ${load}, now()::TIMESTAMP)`;

/** The end of a read beside a partition. */
export interface EndBeside {
  /** The partition's own checkpoint. */
  readonly key: string;
  /** The checkpoint that goes. */
  readonly beside: string;
  /** Gives the partition's new position from its present one. */
  own(position: Position | null): Position | null;
  /** From where on the partition was read by now, if that is news. */
  readonly from?: string | undefined;
}

/** Ends a read beside a partition in one transaction: its checkpoint goes, the partition has its new position, and where it begins by now is noted. */
export function endBeside(warehouse: Warehouse, stream: string, { key, beside, own, from }: EndBeside): Promise<void> {
  return warehouse.transaction(async (tx) => {
    const before = await readCheckpoint(tx, stream, key);
    const position = own(before);
    if (position) {
      await tx.run(
        'UPDATE firn.checkpoint SET "partition" = $2, "position" = $3 WHERE stream = $1 AND "partition" = $4',
        [stream, key, positionText(position), before ? key : beside],
      );
      if (from !== undefined) for (const sql of noteBegun(stream, key, from)) await tx.run(sql);
    }
    await tx.run('DELETE FROM firn.checkpoint WHERE stream = $1 AND "partition" = $2', [stream, beside]);
  });
}

/** Notes that partitions were read to their end just now, whether that brought anything or not. */
export async function noteReadOn(
  { run }: Pick<Warehouse, 'run'>,
  partitions: readonly { readonly stream: string; readonly partition: string }[],
): Promise<void> {
  if (partitions.length === 0) return;
  const of = partitions.map(({ stream, partition }) => `(${literal(stream)}, ${literal(partition)})`);
  await run(
    `UPDATE firn.checkpoint SET updated_at = now()::TIMESTAMP WHERE (stream, "partition") IN (${of.join(', ')})`,
  );
}

/** The newest load, whether it brought something or not; 0 where there is none. */
export async function newestLoad(warehouse: Pick<Warehouse, 'query'>): Promise<bigint> {
  const [row] = await warehouse.query<{ load_id: bigint }>(
    'SELECT coalesce(max(load_id), 0) AS load_id FROM firn.load',
  );
  return row?.load_id ?? 0n;
}

/**
 * The newest load that brought something: a row that is new or different, a record that went into quarantine for the first time, or a partition
 * that was never read before.
 */
export async function newestChange(warehouse: Pick<Warehouse, 'query'>): Promise<bigint> {
  // The first load of a partition counts only where it is newer than those of the others: of partitions that were read since.
  const [row] = await warehouse.query<{ load_id: bigint }>(
    `WITH brought AS MATERIALIZED (
       SELECT coalesce(max(load_id), 0) AS load_id FROM (
         SELECT max(load_id) AS load_id FROM firn.load WHERE rows_written > 0 UNION ALL SELECT max(load_id) FROM firn.quarantine
       )
     ),
     since AS (SELECT stream, "partition" FROM firn.load WHERE load_id > (SELECT load_id FROM brought))
     SELECT max(load_id) AS load_id FROM (
       FROM brought UNION ALL SELECT min(load_id) FROM firn.load WHERE (stream, "partition") IN (FROM since) GROUP BY stream, "partition"
     )`,
  );
  return row?.load_id ?? 0n;
}
