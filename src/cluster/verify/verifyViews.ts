import { literal } from '../../core/text/sqlText.ts';
import type { Failure } from '../../publish/verify/failure.ts';
import type { Engine, PublishedVersion } from '../contract.ts';
import { queryEach } from '../engine/queryEach.ts';
import { ownSchemas, publishedName } from '../engine/relationSchemas.ts';
import type { Sql } from '../ledger/control.ts';
import { readTasks } from '../ledger/readTasks.ts';

/**
 * Whether readers' views show a version and nothing else: its number, and the snapshots that they name. A publish notes its version and then replaces
 * them, one after the other: meanwhile they may show the one before, or a newer one.
 *
 * @param held relations that are held back: their views show a version before, of which no table of this version tells
 */
export async function verifyViews(
  engine: Pick<Engine, 'name' | 'query'>,
  control: Sql,
  version: Pick<PublishedVersion, 'id'>,
  held: readonly string[],
): Promise<Failure[]> {
  const isPublishing = (await readTasks(control)).some(({ name }) => name === 'build');
  const views = await engine.query<View>(
    `SELECT DISTINCT table_schema || '.' || table_name AS relation, view_definition AS definition FROM information_schema.views
     WHERE ${ownSchemas(engine, { prefix: publishedName('') })} ORDER BY 1`,
  );
  const shown = await control.query<Pick<PublishedVersion, 'snapshots'>>(
    'SELECT snapshots FROM firn.version WHERE id >= $1 OR ($2 AND id = (SELECT max(id) FROM firn.version WHERE id < $1))',
    [version.id, isPublishing],
  );
  const own = new Set(shown.flatMap(({ snapshots }) => Object.values(snapshots)));
  const named = ({ definition }: View) => definition.match(/(?<=VERSION AS OF )\d+/g) ?? [];
  const past = new Set(held.map((relation) => engine.name(publishedName(relation)).toLowerCase()));
  const isPast = ({ relation }: View) => past.has(relation.toLowerCase());
  const harmed = views
    .filter((view) => !isPast(view))
    .filter((view) => named(view).some((snapshot) => !own.has(snapshot)))
    .map(
      ({ relation }): Failure => ({
        check: 'reader',
        item: relation,
        message: `the view shows snapshots that are not of version ${version.id}; run firn publish`,
      }),
    );
  return [...harmed, ...(await verifyPast(engine, views.filter(isPast)))];
}

type View = { readonly relation: string; readonly definition: string };

/** Whether the snapshots are there that views of the past name, also of tables whose newest version readers see: maintenance may have expired them. */
async function verifyPast(engine: Pick<Engine, 'query'>, views: readonly View[]): Promise<Failure[]> {
  const named = views.flatMap(({ relation, definition }) =>
    [...definition.matchAll(/([\w.]+)\s+FOR VERSION AS OF (\d+)/g)].map(([, table = '', id]) => ({
      relation,
      table,
      id,
    })),
  );
  const tables = [...new Set(named.map(({ table }) => table))];
  const query = (sql: string) => engine.query<{ table: string; id: string }>(sql);
  const rows = await queryEach(query, tables, (table) => {
    const [schema, name] = table.split('.').slice(-2);
    return `SELECT ${literal(table)} AS "table", CAST(snapshot_id AS VARCHAR) AS id FROM ${schema}."${name}$snapshots"`;
  });
  const held = new Set(rows.map(({ table, id }) => `${table} ${id}`));
  return named
    .filter(({ table, id }) => !held.has(`${table} ${id}`))
    .map(
      ({ relation, table, id }): Failure => ({
        check: 'missing',
        item: relation,
        message: `what it shows is held back, and snapshot ${id} of ${table} is gone, so readers see nothing of it until it is published again`,
      }),
    );
}
