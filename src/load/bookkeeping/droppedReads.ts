import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { partitionName } from '../../core/partitionName.ts';
import { replaceFile } from '../../disk/durable.ts';
import type { Statements } from '../database/transaction.ts';
import type { Warehouse } from '../state/warehouse.ts';

/** When what was read of partitions was dropped, in milliseconds since the epoch, by `partitionName`. */
export type DroppedReads = ReadonlyMap<string, number>;

const droppedSchema = z.record(z.string(), z.number());

const fileOf = (folder: string) => join(folder, '.state', 'dropped.json');

/** Notes that partitions are dropped, inside the transaction that does it: `tellDropped` hands it on. */
export async function noteDropped(tx: Statements, stream: string, partitions: readonly string[]): Promise<void> {
  const now = Date.now();
  const dropped = Object.fromEntries(partitions.map((partition) => [partitionName(stream, partition), now]));
  await tx.run(`INSERT INTO firn.step VALUES ('drop', '', $1, now()::TIMESTAMP)`, [JSON.stringify(dropped)]);
}

/**
 * Writes what was dropped beside the state, for `status` and `report`: runs before told that it was read. What a killed process or a full disk
 * kept from being written is written when the warehouse is opened next.
 */
export async function tellDropped(warehouse: Pick<Warehouse, 'folder' | 'query' | 'run'>): Promise<void> {
  const noted = await warehouse.query<{ result: string }>(
    `SELECT result FROM firn.step WHERE step = 'drop' ORDER BY done_at`,
  );
  if (noted.length === 0) return;
  const all = [await readDropped(warehouse.folder), ...noted.map(({ result }) => parseDropped(result))];
  const text = JSON.stringify(Object.fromEntries(all.flatMap((dropped) => [...dropped])));
  try {
    await replaceFile(fileOf(warehouse.folder), `${text}\n`);
  } catch {
    return;
  }
  await warehouse.run(`DELETE FROM firn.step WHERE step = 'drop'`);
}

/** What was noted, but for what a clock told that was ahead: all reads would be older. Nothing where it cannot be read. */
export async function readDropped(folder: string): Promise<DroppedReads> {
  try {
    const noted = parseDropped(await readFile(fileOf(folder), 'utf8'));
    return new Map([...noted].filter(([, at]) => at <= Date.now()));
  } catch {
    return new Map();
  }
}

const parseDropped = (text: string): DroppedReads => new Map(Object.entries(droppedSchema.parse(JSON.parse(text))));
