import { identifier, nameOf, qualified } from '../../core/text/sqlText.ts';
import type { CatalogueTable } from './publishedTables.ts';
import type { PublishSource } from './publishSource.ts';

/**
 * Shows `work` the relations with the rows of views in tables of their own: each file of a view would compute all of it, twice.
 *
 * @param areFew whether the rows of a view are not too many for that
 */
export async function withComputedViews<T>(
  source: Pick<PublishSource, 'run'>,
  relations: readonly CatalogueTable[],
  areFew: (view: CatalogueTable) => boolean,
  work: (relations: readonly CatalogueTable[]) => Promise<T>,
): Promise<T> {
  const computed = relations.map((relation) =>
    relation.viewSql === undefined || !areFew(relation)
      ? relation
      : { ...relation, rowsIn: identifier(`firn_rows_of_${nameOf(relation)}`) },
  );
  try {
    for (const relation of computed) {
      if (relation.rowsIn)
        await source.run(`CREATE OR REPLACE TEMP TABLE ${relation.rowsIn} AS FROM ${qualified(relation)}`);
    }
    return await work(computed);
  } finally {
    // The first error is the one to tell; after a full disk nothing works any more.
    for (const { rowsIn } of computed) if (rowsIn) await source.run(`DROP TABLE IF EXISTS ${rowsIn}`).catch(() => {});
  }
}
