import { openDuckDb } from '../../load/database/openDuckDb.ts';
import { queryOf } from '../../load/database/transaction.ts';
import type { Model, PlacedModel } from '../../transform/models/model.ts';
import { placeModels } from '../../transform/models/placeModels.ts';
import { readModels } from '../../transform/models/readModels.ts';

/** The models, those of `sql/models` where none are given, with the tables and views that each reads. Needs no warehouse. */
export async function modelLineage(given?: readonly Model[]): Promise<PlacedModel[]> {
  const { connection, close } = await openDuckDb({ folders: [] });
  try {
    return await placeModels({ query: queryOf(connection) }, given ?? (await readModels()));
  } finally {
    close();
  }
}
