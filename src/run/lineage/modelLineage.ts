import { openDuckDb } from '../../load/openDuckDb.ts';
import type { Statements } from '../../load/transaction.ts';
import type { PlacedModel } from '../../transform/model.ts';
import { placeModels } from '../../transform/placeModels.ts';
import { readModels } from '../../transform/readModels.ts';

/** The models of `sql/models` with the tables and views that each reads. Needs no warehouse. */
export async function modelLineage(): Promise<PlacedModel[]> {
  const { connection, close } = await openDuckDb({ folders: [] });
  try {
    const query = async <R>(sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson() as R[];
    return await placeModels({ query } as Statements, await readModels());
  } finally {
    close();
  }
}
