import type { Failure } from '../../publish/verify/failure.ts';
import type { Engine, PublishedVersion } from '../contract.ts';
import { ownSchemas, publishedName } from '../engine/relationSchemas.ts';
import { isTaken } from '../ledger/leases.ts';
import type { Sql } from '../ledger/openControl.ts';

/**
 * Whether readers' views show a version and nothing else: its number, and the snapshots that they name. A publish notes its version and then replaces
 * them, one after the other: meanwhile they may show the one before, or a newer one.
 *
 * @param held relations that are held back: their views show a version before
 */
export async function verifyViews(
  engine: Pick<Engine, 'name' | 'query'>,
  control: Sql,
  version: Pick<PublishedVersion, 'id'>,
  held: readonly string[],
): Promise<Failure[]> {
  const publishing = await control.query(`SELECT 1 FROM firn.task WHERE name = 'build' AND ${isTaken}`);
  const views = await engine.query<{ relation: string; definition: string }>(
    `SELECT DISTINCT table_schema || '.' || table_name AS relation, view_definition AS definition FROM information_schema.views
     WHERE ${ownSchemas(engine, { prefix: publishedName('') })} ORDER BY 1`,
  );
  const shown = await control.query<Pick<PublishedVersion, 'snapshots'>>(
    'SELECT snapshots FROM firn.version WHERE id >= $1 OR ($2 AND id = (SELECT max(id) FROM firn.version WHERE id < $1))',
    [version.id, publishing.length > 0],
  );
  const own = new Set(shown.flatMap(({ snapshots }) => Object.values(snapshots)));
  const named = ({ definition }: (typeof views)[number]) => definition.match(/(?<=VERSION AS OF )\d+/g) ?? [];
  const past = new Set(held.map((relation) => engine.name(publishedName(relation)).toLowerCase()));
  return views
    .filter((view) => !past.has(view.relation.toLowerCase()))
    .filter((view) => named(view).some((snapshot) => !own.has(snapshot)))
    .map(({ relation }) => ({
      check: 'reader',
      item: relation,
      message: `the view shows snapshots that are not of version ${version.id}; run firn publish`,
    }));
}
