import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { replaceFile } from '../disk/durable.ts';
import { queryUnresolved, type Unresolved } from './unresolved.ts';
import type { Warehouse } from './warehouse.ts';

const schema: z.ZodType<Unresolved> = z.object({
  records: z.number(),
  accepted: z.number(),
  streams: z.array(z.object({ stream: z.string(), records: z.number() })),
  groups: z.array(
    z.object({
      stream: z.string(),
      partition: z.string(),
      reason: z.string(),
      records: z.number(),
      times: z.number(),
      firstAt: z.number(),
      lastAt: z.number(),
      example: z.string(),
    }),
  ),
  heldBack: z.array(z.object({ relation: z.string(), audit: z.string(), since: z.number(), reason: z.string() })),
});

const fileOf = (folder: string) => join(folder, '.state', 'unresolved.json');

/**
 * Writes beside the state what in it is unresolved, for `status` and `report`: readers see the state only as of the last
 * publish. Called wherever it may have changed: after each phase of a run, and by the commands that change it.
 */
export async function noteUnresolved(warehouse: Warehouse): Promise<Unresolved> {
  const unresolved = await queryUnresolved(warehouse);
  // A full disk is reported by whatever caused it, not by this note.
  await replaceFile(fileOf(warehouse.folder), `${JSON.stringify(unresolved)}\n`).catch(() => {});
  return unresolved;
}

/** What was unresolved when a run or command last looked; null where none did, or the file is damaged. */
export async function readUnresolved(folder: string): Promise<Unresolved | null> {
  try {
    return schema.parse(JSON.parse(await readFile(fileOf(folder), 'utf8')));
  } catch {
    return null;
  }
}
