import { constants, copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Table } from '../../src/core/table.ts';
import { type OpenOptions, openWarehouse, type Warehouse } from '../../src/load/warehouse.ts';
import { folderMadeOnce } from '../folderMadeOnce.ts';

/** A folder that is gone after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'firn-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A folder with the state of a warehouse without tables: to make one takes three times as long as to open a copy. */
export async function emptyWarehouse(): Promise<string> {
  const made = await folderMadeOnce('empty state', async (own) =>
    (await openWarehouse({ folder: own, tables: [] })).close(),
  );
  const folder = await temporaryFolder();
  await mkdir(join(folder, '.state'), { mode: 0o700 });
  const [from, to] = [made, folder].map((at) => join(at, '.state', 'firn.duckdb')) as [string, string];
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  return folder;
}

/** An open warehouse in a folder of its own. */
export async function temporaryWarehouse(
  tables: readonly Table[],
  folder?: string,
  memory: Pick<OpenOptions, 'memoryLimit' | 'roomierLimits'> = {},
): Promise<Warehouse> {
  const warehouse = await openWarehouse({ folder: folder ?? (await emptyWarehouse()), tables, ...memory });
  onTestFinished(() => {
    try {
      warehouse.close();
    } catch {
      // The test closed it itself.
    }
  });
  return warehouse;
}
