import type { Engine } from '../../../src/cluster/contract.ts';
import { buildLake, type Since } from '../../../src/cluster/lake/buildLake.ts';
import { renderingOf } from '../../../src/cluster/lake/cut.ts';
import { remembered } from '../../../src/cluster/lake/lakeChanges.ts';
import type { LastBuild } from '../../../src/cluster/lake/lakeCut.ts';
import type { DuckDb } from '../../../src/load/database/openDuckDb.ts';
import type { Warehouse } from '../../../src/load/state/warehouse.ts';
import type { Model } from '../../../src/transform/models/model.ts';
import { placeModels } from '../../../src/transform/models/placeModels.ts';
import { readModels } from '../../../src/transform/models/readModels.ts';

/** The connection of a warehouse as an engine has it. */
export const over = (warehouse: Warehouse) =>
  ({
    connection: {
      run: async (sql: string) => {
        if (!/^\s*(SELECT|WITH)\b/i.test(sql)) return { rowsChanged: await warehouse.run(sql) };
        const rows = await warehouse.query(sql);
        return { chunkCount: 1, getChunk: () => ({ getRowObjects: () => rows }), deduplicatedColumnNames: () => [] };
      },
      runAndReadAll: async (sql: string) => {
        const rows = await warehouse.query(sql);
        return { getRowObjects: () => rows };
      },
    },
    transaction: (work: () => Promise<unknown>) => work(),
  }) as unknown as DuckDb;

/** Builds in a lake for which a warehouse's DuckDB stands in: the same statements, with DuckDB's own macros as text. */
export async function lakeBuilder(engine: Engine, warehouse: Warehouse, own: readonly Model[] = []) {
  const models = await placeModels(warehouse, [...(await readModels()), ...own]);
  const rendering = renderingOf(engine, models);
  const values = models.map(({ name, hash }) => `('${name}', '${hash}', now()::TIMESTAMP, 0, 0)`);
  await warehouse.run(`INSERT INTO firn.model VALUES ${values.join(', ')}`);
  return async (came?: Omit<Since, 'isSame'>, through = engine, isSame = (_: string) => false): Promise<LastBuild> => {
    const since = came && { ...came, isSame };
    const onBroken = ({ error }: { error: Error }) => {
      throw error;
    };
    await buildLake({ engine: through, models, rendering, since, onBroken });
    return { modelsHash: 'the same', partial: {}, behind: [], snapshots: await engine.snapshots(remembered) };
  };
}

/** Of every table of models how many rows it has, and a number that changes with any of them. */
export async function contents(warehouse: Warehouse): Promise<unknown[]> {
  const tables = (await readModels()).filter(({ keptAs }) => keptAs.kind !== 'view').map(({ name }) => name);
  const each = tables.map(
    (name) => `SELECT '${name}' AS name, count(*) AS held, sum(hash(t::VARCHAR))::VARCHAR AS content FROM ${name} AS t`,
  );
  return warehouse.query(each.join(' UNION ALL '));
}
