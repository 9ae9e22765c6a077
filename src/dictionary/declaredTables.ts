import type { Table } from '../core/columns/table.ts';
import { openDuckDb } from '../load/database/openDuckDb.ts';
import { createWriter } from '../load/database/writer.ts';
import { describeTables, ensureTables } from '../load/state/ensureTables.ts';
import { migrate } from '../load/state/migrate.ts';
import { type CatalogueTable, publishedTables } from '../publish/files/publishedTables.ts';
import { buildModels } from '../transform/builds/buildModels.ts';
import type { Model } from '../transform/models/model.ts';

/**
 * Tables and views as a state has them once it is built: made in memory, of no rows, so that nobody's warehouse is opened for it. A model
 * that cannot be built so, like one that reads a CSV file of `refs`, is left out.
 */
export async function declaredTables(
  tables: readonly Table[],
  models: readonly Model[],
): Promise<readonly CatalogueTable[]> {
  const { connection, close } = await openDuckDb({ folders: [] });
  try {
    await connection.run(`ATTACH ':memory:' AS state; USE state`);
    await migrate(connection, 'memory');
    await ensureTables(connection, tables);
    const writer = createWriter(connection);
    await describeTables(writer, tables);
    await buildModels({ ...writer, folder: '' }, { models, onBroken: () => {} });
    return await publishedTables(writer);
  } finally {
    close();
  }
}
