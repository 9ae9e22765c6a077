import { FirnError } from '../../core/firnError.ts';
import { openDuckDb } from '../../load/openDuckDb.ts';
import type { Model } from '../../transform/model.ts';
import { placeOf } from '../../transform/modelError.ts';
import { modelReferences } from '../../transform/modelReferences.ts';
import { readModels } from '../../transform/readModels.ts';

/** The models of `sql/models` with the tables and views that each reads. Needs no warehouse. */
export async function modelLineage(): Promise<(Model & { readonly reads: readonly string[] })[]> {
  const models = await readModels();
  const { connection, close } = await openDuckDb({ folders: [] });
  try {
    const query = async <R>(sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson() as R[];
    const references = await modelReferences(
      { query } as Parameters<typeof modelReferences>[0],
      models.map((model) => ({ ...model, place: placeOf(model) })),
    );
    return models.map((model) => {
      const names = references.get(model.name);
      return { ...model, reads: names === undefined || names instanceof FirnError ? [] : names.relations };
    });
  } finally {
    close();
  }
}
