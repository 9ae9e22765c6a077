import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { StagedBatch } from '../../../src/cluster/contract.ts';
import { openDuckDb } from '../../../src/load/database/openDuckDb.ts';

/** Writes the rows of a query as the file of a batch below a folder, which others know as `root`. */
export async function stageRows(
  folder: string,
  root: string,
  table: string,
  id: number,
  select: string,
): Promise<StagedBatch> {
  const name = `${table.slice(table.indexOf('.') + 1)}/${id}.parquet`;
  await mkdir(join(folder, name, '..'), { recursive: true });
  const duckDb = await openDuckDb({ folders: [folder] });
  const { rowsChanged } = await duckDb.connection.run(`COPY (${select}) TO '${join(folder, name)}' (FORMAT parquet)`);
  duckDb.close();
  return { id, table, uri: `${root}${name}`, rows: rowsChanged, bytes: 0, sha256: '' };
}
