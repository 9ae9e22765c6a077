import { FirnError } from '../../core/firnError.ts';
import { literal } from '../../core/sqlText.ts';
import type { Engine } from '../contract.ts';
import { ownSchemas } from '../engine/relationSchemas.ts';
import type { Sql } from '../ledger/openControl.ts';

/** Tables that one statement asks about: each is a scan of its own to plan. */
const tablesAtOnce = 30;

/** The newest load, and the lowest number that may have been under way when a backup was made: none is for as long as an hour. */
const knownLoads = `
  SELECT coalesce(max(load_id), 0) AS newest, coalesce(min(load_id) FILTER (WHERE committed_at > last - interval '1 hour'), 0) AS lowest
  FROM firn.load, (SELECT max(committed_at) AS last FROM firn.load) AS of_all`;

/**
 * Makes sure that the control database knows all batches of the lake. One that was restored from an older backup does not: what it reads again
 * would be there twice, or be taken for what is there under the same number.
 *
 * @throws FirnError `config` with the statements that take out of the lake what it does not know
 */
export async function refuseRestored(engine: Engine, control: Sql, catalog: string): Promise<void> {
  const tables = await engine.query<{ relation: string }>(
    `SELECT table_schema || '.' || table_name AS relation FROM information_schema.tables
     WHERE table_type = 'BASE TABLE' AND (${ownSchemas(engine, { schemas: ['raw'] })} OR table_schema || '.' || table_name = ${literal(engine.name('firn.load'))}) ORDER BY 1`,
  );
  const [known] = await control.query<{ newest: string; lowest: string }>(knownLoads);
  const { newest = '0', lowest = '0' } = known ?? {};
  const held: { relation: string; batch: string }[] = [];
  for (let at = 0; at < tables.length; at += tablesAtOnce) {
    const each = tables
      .slice(at, at + tablesAtOnce)
      .map(
        ({ relation }) =>
          `SELECT ${literal(relation)} AS relation, CAST(firn_batch AS VARCHAR) AS batch FROM ${relation} WHERE firn_batch >= ${lowest}`,
      );
    held.push(...(await engine.query<(typeof held)[number]>(each.join(' UNION '))));
  }
  // Asked last: workers may have committed and applied some meanwhile.
  const unknown = await control.query<{ id: string }>(
    `SELECT id FROM unnest($1::bigint[]) AS id WHERE NOT EXISTS (SELECT 1 FROM firn.load WHERE load_id = id)
     AND NOT EXISTS (SELECT 1 FROM firn.batch_file WHERE batch_id = id) ORDER BY id`,
    [[...new Set(held.map(({ batch }) => batch))]],
  );
  if (unknown.length === 0) return;
  const ids = new Set(unknown.map(({ id }) => id));
  const within = [...ids].filter((id) => Number(id) <= Number(newest));
  const isUnknown = ids.size > within.length ? [`firn_batch > ${newest}`] : [];
  if (within.length > 0) isUnknown.push(`firn_batch IN (${within.join(', ')})`);
  const harmed = new Set(held.flatMap(({ relation, batch }) => (ids.has(batch) ? relation : [])));
  throw new FirnError(
    'config',
    `The lake holds ${ids.size} batches that the control database does not know, up to ${unknown.at(-1)?.id}; the newest that it knows is ${newest}: it was restored from a backup that is older. ` +
      'Nothing was changed. Restore one that is newer; or let no worker run, take the rest out of the lake by these statements of Trino, and do what docs/cluster.md says of it (Backups):\n' +
      [...harmed].map((relation) => `DELETE FROM ${catalog}.${relation} WHERE ${isUnknown.join(' OR ')};`).join('\n'),
  );
}
