import type { Failure } from '../../publish/verify/failure.ts';
import { mapAtOnce } from '../../transform/mapAtOnce.ts';
import type { Engine, PublishedVersion } from '../contract.ts';
import { batchesName } from '../engine/lakeTable.ts';
import type { Sql } from '../ledger/control.ts';

/** Tables whose batches are counted at once. */
const atOnce = 4;
/** Batches that are named of a table, at most. */
const shown = 20;

/**
 * Whether a version holds exactly the rows that the ledger notes of every batch: none lost, none twice, none that nobody committed. A batch
 * that no build had taken up when the version was published may be missing.
 *
 * @param unreadable tables of the version of which something else was found already
 */
export async function verifyBatches(
  engine: Engine,
  control: Sql,
  { snapshots, publishedAt }: PublishedVersion,
  unreadable: ReadonlySet<string>,
): Promise<Failure[]> {
  const tables = await control.query<{ name: string }>('SELECT DISTINCT table_name AS name FROM firn.batch_file');
  const found = await mapAtOnce(tables, atOnce, async ({ name }) => {
    const kept = batchesName(name) in snapshots ? batchesName(name) : name;
    if (unreadable.has(kept)) return [];
    const snapshot = snapshots[kept];
    const known = await control.query<{ id: string; rows: string; is_shown: boolean }>(
      // Batches of a warehouse that was moved here are no loads: builds show them with those from before, once all of them are applied.
      `SELECT f.batch_id AS id, f.rows, coalesce(CASE WHEN l.load_id IS NOT NULL THEN l.built_at
         ELSE (SELECT max(built_at) FROM firn.load WHERE load_id < f.batch_id) END <= $2::timestamptz, false) AS is_shown
       FROM firn.batch_file AS f LEFT JOIN firn.load AS l ON l.load_id = f.batch_id
       WHERE f.table_name = $1 ORDER BY f.batch_id`,
      [name, publishedAt],
    );
    const rows =
      snapshot === undefined
        ? []
        : await engine.query<{ id: bigint; held: bigint }>(
            `SELECT firn_batch AS id, count(*) AS held FROM ${engine.asOf(kept, snapshot)} GROUP BY firn_batch`,
          );
    const held = new Map(rows.map(({ id, held: count }) => [String(id), count]));
    const wrong = known.flatMap(({ id, rows: written, is_shown }) => {
      const count = held.get(id);
      held.delete(id);
      if (count === undefined ? !is_shown : count === BigInt(written)) return [];
      return [`${count ?? 0} rows come from batch ${id}, which has ${written}`];
    });
    const foreign = [...held].map(
      ([id, count]) => `${count} rows come from batch ${id}, which the ledger does not know`,
    );
    return [...wrong, ...foreign].slice(0, shown).map((message): Failure => ({ check: 'load', item: kept, message }));
  });
  return found.flat();
}
