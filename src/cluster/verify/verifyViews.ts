import type { Failure } from '../../publish/verify/failure.ts';
import type { Engine, PublishedVersion } from '../contract.ts';
import { ownSchemas, publishedName } from '../engine/relationSchemas.ts';

/** Whether readers' views show a version and nothing else: its number, and the snapshots that they name. */
export async function verifyViews(engine: Engine, version: PublishedVersion): Promise<Failure[]> {
  const views = await engine.query<{ relation: string; definition: string }>(
    `SELECT DISTINCT table_schema || '.' || table_name AS relation, view_definition AS definition FROM information_schema.views
     WHERE ${ownSchemas(engine, { prefix: publishedName('') })} ORDER BY 1`,
  );
  const own = new Set(Object.values(version.snapshots));
  const named = ({ definition }: (typeof views)[number]) => definition.match(/(?<=VERSION AS OF )\d+/g) ?? [];
  return views
    .filter((view) => named(view).some((snapshot) => !own.has(snapshot)))
    .map(({ relation }) => ({
      check: 'reader',
      item: relation,
      message: `the view shows snapshots that are not of version ${version.id}; run firn publish`,
    }));
}
