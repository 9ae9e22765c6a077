import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Engine, LakeTable, StagedBatch } from '../../../src/cluster/contract.ts';
import { tableOf } from '../../../src/cluster/lake/ownTables.ts';
import type { Warehouse } from '../../../src/load/state/warehouse.ts';
import { mapAtOnce } from '../../../src/transform/mapAtOnce.ts';

/** Stages the rows of a table of a warehouse below a folder, as one batch; no file for no rows. */
async function stageTable(
  warehouse: Warehouse,
  table: LakeTable,
  id: number,
  { folder, root }: { folder: string; root: string },
): Promise<StagedBatch[]> {
  const bare = table.name.slice(table.name.indexOf('.') + 1);
  const columns = table.columns.map(({ name, type }) =>
    type === 'ubigint' ? `"${name}"::DECIMAL(20,0) AS "${name}"` : `"${name}"`,
  );
  await mkdir(join(folder, bare), { recursive: true });
  // A warehouse writes nowhere else.
  const file = join(warehouse.folder, 'staged.parquet');
  const rows = await warehouse.run(
    `COPY (SELECT ${columns.join(', ')}, ${id}::BIGINT AS firn_batch, row_number() OVER () - 1 AS firn_row FROM ${table.name})
     TO '${file}' (FORMAT parquet, COMPRESSION zstd)`,
  );
  if (rows > 0) await copyFile(file, join(folder, bare, `${id}.parquet`));
  await rm(file);
  return rows > 0 ? [{ id, table: table.name, uri: `${root}${bare}/${id}.parquet`, rows, bytes: 0, sha256: '' }] : [];
}

/** Carries tables of a warehouse over into the lake, by the path of batches; those without rows are not made. */
export async function fillLake(
  warehouse: Warehouse,
  engine: Engine,
  names: readonly string[],
  stage: { folder: string; root: string },
): Promise<LakeTable[]> {
  const tables: LakeTable[] = [];
  const staged = new Map<LakeTable, StagedBatch[]>();
  for (const [i, name] of names.entries()) {
    const table = await tableOf(warehouse, name);
    tables.push(table);
    const batches = await stageTable(warehouse, table, i + 1, stage);
    if (batches.length > 0) staged.set(table, batches);
  }
  await mapAtOnce([...staged], 3, async ([table, batches]) => {
    await engine.ensureTable(table);
    await engine.apply(table.name, batches);
  });
  return tables;
}
