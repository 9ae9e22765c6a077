import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { replaceFile } from '../disk/durable.ts';

/** When what was read of partitions was dropped, in milliseconds since the epoch, by `stream partition`. */
export type DroppedReads = ReadonlyMap<string, number>;

const fileOf = (folder: string) => join(folder, '.state', 'dropped.json');

/** Notes beside the state that partitions were dropped, for `status` and `report`: runs before told that they were read. */
export async function noteDropped(folder: string, stream: string, partitions: readonly string[]): Promise<void> {
  const now = Date.now();
  const dropped = partitions.map((partition) => [`${stream} ${partition}`, now] as const);
  const all = Object.fromEntries([...(await readDropped(folder)), ...dropped]);
  // A full disk takes nothing from what was dropped.
  await replaceFile(fileOf(folder), `${JSON.stringify(all)}\n`).catch(() => {});
}

/** What was noted, but for what a clock told that was ahead: all reads would be older. Nothing where it cannot be read. */
export async function readDropped(folder: string): Promise<DroppedReads> {
  try {
    const noted = z.record(z.string(), z.number()).parse(JSON.parse(await readFile(fileOf(folder), 'utf8')));
    return new Map(Object.entries(noted).filter(([, at]) => at <= Date.now()));
  } catch {
    return new Map();
  }
}
