import { literal, nameOf, qualified } from '../../core/text/sqlText.ts';
import { newestChange } from '../../load/commit/checkpoints.ts';
import type { Statements } from '../../load/database/transaction.ts';
import type { Manifest } from '../manifest.ts';
import type { Outgoing } from './publishedTables.ts';
import type { PublishSource } from './publishSource.ts';
import { type ChainSpan, chainSql, sliceBounds, sliceSql } from './steps.ts';
import type { News } from './units.ts';

type Query = Pick<PublishSource, 'query'>;

/**
 * Tells of each relation where its rows may differ from those of the version before: raw tables are only added to, by loads; of models the
 * builds say what they changed (`firn.rebuilt`).
 */
export async function readNews(
  source: Query,
  before: Manifest | undefined,
): Promise<(item: Outgoing) => Promise<News>> {
  const [made] = await source.query<{ version: bigint; run_id: string; load_id: bigint }>('FROM firn.publish_state');
  // A state from a backup, or one whose newest version was taken away, tells of another version.
  if (!made || Number(made.version) !== before?.version || made.run_id !== before.run_id) return async () => null;
  const rebuilt = await source.query<Rebuilt>(
    `SELECT relation, chain_id, CAST(CAST("from" AS DATE) AS VARCHAR) AS "from",
       CAST(CAST(until + INTERVAL '1' DAY - INTERVAL '1' MICROSECOND AS DATE) AS VARCHAR) AS until FROM firn.rebuilt`,
  );
  const models = new Set((await source.query<{ name: string }>('SELECT name FROM firn.model')).map((row) => row.name));
  const isBuilt = await isUpToDate(source);
  return async ({ table, layout }) => {
    const relation = nameOf(table);
    const columns = new Set(table.columns.map((column) => column.name));
    if (table.schema === 'raw')
      return columns.has('_load_id') && !columns.has('_valid_to')
        ? loadedSince(source, { table, layout }, made.load_id)
        : null;
    if (!models.has(relation) || (table.viewSql !== undefined && !(layout.byHours && isBuilt))) return null;
    return boundsOf(
      rebuilt.filter((change) => change.relation === relation),
      layout.chain !== undefined,
    );
  };
}

type Rebuilt = { relation: string } & { [member in 'chain_id' | 'from' | 'until']: string | null };

/** Null where a build could not say which hours it changed. */
function boundsOf(changes: readonly Rebuilt[], hasChain: boolean): News {
  const bounds = changes.flatMap(({ chain_id, from, until }): ChainSpan[] =>
    chain_id === null || from === null || until === null ? [] : [{ chain: hasChain ? chain_id : null, from, until }],
  );
  return bounds.length === changes.length ? bounds : null;
}

/** Views show what was loaded since the last build, too, and what was loaded of a time that is not built any more. */
async function isUpToDate(source: Query): Promise<boolean> {
  const [built] = await source.query<{ load_id: bigint }>(
    "SELECT load_id FROM firn.build_state WHERE models_hash <> '' AND NOT EXISTS (FROM firn.frozen)",
  );
  return built?.load_id === (await newestChange(source));
}

/** The finest cuts of a raw table in which rows came. */
async function loadedSince(
  source: Query,
  { table, layout }: Pick<Outgoing, 'table' | 'layout'>,
  loadId: bigint,
): Promise<News> {
  const { by } = layout;
  const slices = await source.query<{ chain: string | null; slice: string | null }>(
    `SELECT DISTINCT ${chainSql(layout)} AS chain, CAST(${sliceSql(table, layout)} AS VARCHAR) AS slice FROM ${qualified(table)} WHERE _load_id > ${loadId}`,
  );
  const bounds = slices.flatMap(({ chain: own, slice }) =>
    by && slice !== null ? [sliceBounds(own, slice, by.kind)] : [],
  );
  return bounds.length === slices.length ? bounds : null;
}

/**
 * Notes what a version shows, for the next one. What was built since the one before stays noted where relations are held back: theirs are
 * still to come.
 *
 * @param loadId the newest load that it shows
 */
export function noteVersion(
  source: PublishSource,
  { version, run_id, held_back }: Manifest,
  loadId: bigint,
): Promise<void> {
  return source.transaction(async (tx: Statements) => {
    const of = `"version" = ${version}, run_id = ${literal(run_id)}`;
    if (held_back.length > 0) await tx.run(`UPDATE firn.publish_state SET ${of}`);
    else
      await tx.run(
        `DELETE FROM firn.publish_state; INSERT INTO firn.publish_state VALUES (${version}, ${literal(run_id)}, ${loadId}); DELETE FROM firn.rebuilt`,
      );
  });
}
