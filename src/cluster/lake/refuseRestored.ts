import { FirnError } from '../../core/firnError.ts';
import { groupBy } from '../../core/groupBy.ts';
import { literal } from '../../core/text/sqlText.ts';
import type { Engine } from '../contract.ts';
import { catalogName } from '../engine/catalogName.ts';
import { batchesName } from '../engine/lakeTable.ts';
import { queryEach } from '../engine/queryEach.ts';
import { ownSchemas } from '../engine/relationSchemas.ts';
import type { Sql } from '../ledger/control.ts';
import { tablesOfBatches } from '../ledger/tablesOfBatches.ts';

/** The newest number, and the lowest that may have been under way when a backup was made: none is for as long as an hour. */
const knownNumbers = `WITH RECURSIVE ${tablesOfBatches}
  SELECT greatest((SELECT max(load_id) FROM firn.load), max(batch), 0) AS newest,
    -- Not by its own index, which has the newest ones at its end.
    coalesce((SELECT min(load_id + 0) FROM firn.load WHERE committed_at > (SELECT max(committed_at) FROM firn.load) - interval '1 hour'), 0) AS lowest
  FROM tables CROSS JOIN LATERAL (SELECT max(batch_id) AS batch FROM firn.batch_file WHERE table_name = name) AS of_table`;

/** Batches that are part of their tables: the newest of each table, and those of numbers from $1 on. */
const appliedBatches = `WITH RECURSIVE ${tablesOfBatches}
  SELECT name AS "table", batch FROM tables CROSS JOIN LATERAL (
    SELECT batch_id AS batch FROM firn.batch_file WHERE table_name = name AND applied_at IS NOT NULL AND rows > 0 ORDER BY batch_id DESC LIMIT 1) AS newest
  UNION SELECT name, batch_id FROM tables JOIN firn.batch_file ON table_name = name
  WHERE applied_at IS NOT NULL AND rows > 0 AND batch_id >= $1 ORDER BY 2 DESC`;

/** Those of some numbers that were committed, by table: a number that was given again may be that of another table's batch. */
const knownBatches = `WITH RECURSIVE ${tablesOfBatches}
  SELECT name AS "table", batch FROM tables CROSS JOIN LATERAL (
    SELECT batch_id AS batch FROM firn.batch_file WHERE table_name = name AND batch_id = ANY($1::bigint[]) OFFSET 0) AS known
  UNION ALL SELECT 'firn.load', load_id FROM firn.load WHERE load_id = ANY($1::bigint[])`;

/**
 * Makes sure that control database and lake are of one time: that each knows the batches of the other. What an older control database reads again
 * would be there twice, or be taken for what is there under the same number; what an older lake lacks nobody would bring again.
 *
 * @throws FirnError `config` with what helps
 */
export async function refuseRestored(engine: Engine, control: Sql, catalog: string): Promise<void> {
  const tables = await engine.query<{ relation: string }>(
    `SELECT table_schema || '.' || table_name AS relation FROM information_schema.tables
     WHERE table_type = 'BASE TABLE' AND (${ownSchemas(engine, { schemas: ['raw'] })} OR table_schema || '.' || table_name = ${literal(engine.name('firn.load'))}) ORDER BY 1`,
  );
  const [known] = await control.query<{ newest: string; lowest: string }>(knownNumbers);
  const { newest = '0', lowest = '0' } = known ?? {};
  const there = new Set(tables.map(({ relation }) => relation.toLowerCase()));
  // Asked first: what is applied by then is in the lake.
  const relationOf = (table: string) => {
    const kept = engine.name(batchesName(table)).toLowerCase();
    return there.has(kept) ? kept : engine.name(table).toLowerCase();
  };
  const applied = (await control.query<{ table: string; batch: string }>(appliedBatches, [lowest])).map((one) => ({
    ...one,
    relation: relationOf(one.table),
  }));
  const oldest = new Map(applied.map(({ relation, batch }) => [relation, batch]));
  const held = await queryEach(
    (sql) => engine.query<{ relation: string; batch: string }>(sql),
    tables,
    ({ relation }) => {
      const from = Math.min(Number(lowest), Number(oldest.get(relation.toLowerCase()) ?? lowest));
      return `SELECT ${literal(relation)} AS relation, CAST(firn_batch AS VARCHAR) AS batch FROM ${relation} WHERE firn_batch >= ${from}`;
    },
    'UNION',
  );
  const inLake = new Set(held.map(({ relation, batch }) => `${relation.toLowerCase()} ${batch}`));
  const lacking = applied.find(({ relation, batch }) => !inLake.has(`${relation} ${batch}`));
  if (lacking) throw olderLake(lacking);
  // Asked last: workers may have committed and applied some meanwhile.
  const ids = [...new Set(held.map(({ batch }) => batch))];
  const committed = await control.query<{ table: string; batch: string }>(knownBatches, [ids]);
  const isKnown = new Set(committed.map(({ table, batch }) => `${relationOf(table)} ${batch}`));
  const unknown = held.filter(({ relation, batch }) => !isKnown.has(`${relation.toLowerCase()} ${batch}`));
  if (unknown.length === 0) return;
  const last = committed.reduce((most, { batch }) => Math.max(most, Number(batch)), Number(newest));
  throw olderControl(catalog, unknown, last);
}

/** The error of a lake that lacks a batch. */
const olderLake = ({ table, batch }: { readonly table: string; readonly batch: string }) =>
  new FirnError(
    'config',
    `The lake lacks batch ${batch} of ${table}, which the control database notes as applied: the lake was restored from a backup that is older, somebody took rows out of it, or engine names another catalog or schema. ` +
      'Nothing was changed. Restore one that is newer; or let no worker run, and have the batches applied again as docs/cluster.md says (Backups).',
  );

/** The error of a control database that does not know batches of the lake, with what takes these out. @param last the newest that it knows */
function olderControl(
  catalog: string,
  unknown: readonly { readonly relation: string; readonly batch: string }[],
  last: number,
): FirnError {
  const numbers = [...new Set(unknown.map(({ batch }) => Number(batch)))].sort((a, b) => a - b);
  // In an order of their own: what is the same is told once.
  const statements = [...groupBy(unknown, ({ relation }) => relation)]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([relation, batches]) => {
      const own = batches.map(({ batch }) => Number(batch));
      const within = own.filter((id) => id <= last).sort((a, b) => a - b);
      const where = own.length > within.length ? [`firn_batch > ${last}`] : [];
      if (within.length > 0) where.push(`firn_batch IN (${within.join(', ')})`);
      return `DELETE FROM ${catalogName(catalog)}.${relation} WHERE ${where.join(' OR ')};`;
    });
  return new FirnError(
    'config',
    `The lake holds ${numbers.length} batches that the control database does not know, up to ${numbers.at(-1)}; the newest that it knows is ${last}: it was restored from a backup that is older. ` +
      'Nothing was changed. Restore one that is newer; or let no worker run, take the rest out of the lake by these statements of Trino, and do what docs/cluster.md says of it (Backups):\n' +
      statements.join('\n'),
  );
}
