import type { Layouts } from '../../core/columns/layout.ts';
import { schemaVersion } from '../../load/state/migrate.ts';
import { planFiles } from '../files/planFiles.ts';
import type { PublishSource } from '../files/publishSource.ts';
import { relationsToShow } from '../files/relationsToShow.ts';
import { withComputedViews } from '../files/withComputedViews.ts';
import { newestManifest } from '../manifest.ts';
import type { Failure } from './failure.ts';

/**
 * Compares the state with the files of the newest version: raw tables by the loads of their rows, all others value by value. A publish looks only at
 * what loads and builds changed since the one before: each file that the next one would keep must hold the rows of the state.
 */
export async function verifyShown(
  source: Pick<PublishSource, 'folder' | 'query' | 'run'>,
  layouts: Layouts,
): Promise<Failure[]> {
  const { before } = await newestManifest(source.folder);
  const [state] = await source.query<{ version: number }>(
    'SELECT max("version") AS version FROM main.firn_schema_version',
  );
  // The next run brings a state of an older firn up to date, and may publish it all anew.
  if (!before || state?.version !== (await schemaVersion())) return [];
  const { held, relations, areFew } = await relationsToShow(source, before, { layouts });
  // Tables that are too small to tell how many bytes a row takes are one file in any case: nothing is written to learn it.
  const options = { layouts, measure: async () => 0 };
  return withComputedViews(source, relations, areFew, async (tables) => {
    const kept = await planFiles(source, tables, before, held, options);
    const seen = await planFiles(source, tables, before, held, { ...options, afresh: true });
    const same = new Set(reusedIn(seen));
    return reusedIn(kept)
      .filter((path) => !same.has(path))
      .map((item) => ({ check: 'changed', item, message: 'the state has other rows than this file' }));
  });
}

const reusedIn = ({ tables }: Awaited<ReturnType<typeof planFiles>>) =>
  tables.flatMap(({ units }) => units.flatMap(({ reused }) => reused?.path ?? []));
