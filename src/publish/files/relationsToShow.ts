import { nameOf } from '../../core/text/sqlText.ts';
import { queryHeldBack } from '../../load/bookkeeping/unresolved.ts';
import type { Manifest } from '../manifest.ts';
import { type FilePlanOptions, isInFiles, mostRows } from './planFiles.ts';
import { type Catalogue, type CatalogueTable, readCatalogue } from './publishedTables.ts';
import type { PublishSource } from './publishSource.ts';

/** What a version is made from. */
export interface ToShow {
  readonly catalogue: Catalogue;
  /** Relations that an audit, or a model that cannot be built, keeps from being published as they are. */
  readonly held: ReadonlySet<string>;
  /** Those that have files and are not held back. */
  readonly relations: readonly CatalogueTable[];
  /** Whether the rows of a view are not too many for a table of their own. */
  areFew(view: CatalogueTable): boolean;
}

/** Says which relations of the state a version shows. @param before the version before */
export async function relationsToShow(
  source: Pick<PublishSource, 'query'>,
  before: Manifest | undefined,
  { layouts, maxRows = mostRows }: FilePlanOptions,
): Promise<ToShow> {
  const catalogue = await readCatalogue(source);
  const held = new Set((await queryHeldBack(source)).map(({ relation }) => relation));
  const rowsBefore = new Map(before?.tables.map((table) => [nameOf(table), table.rows]));
  return {
    catalogue,
    held,
    relations: catalogue.tables.filter((table) => !held.has(nameOf(table)) && isInFiles(table, layouts)),
    // One that is cut by time may have as many rows as the whole history; a file of it needs those of its time alone, and so does what is new.
    areFew(view) {
      const layout = layouts?.get(nameOf(view));
      const rows = rowsBefore.get(nameOf(view)) ?? Number.POSITIVE_INFINITY;
      return !layout?.by || (!layout.byHours && rows <= maxRows);
    },
  };
}
