import type { Failure } from '../../publish/verify/failure.ts';
import { mapAtOnce } from '../../transform/mapAtOnce.ts';
import type { Engine, PublishedVersion } from '../contract.ts';
import { batchesName } from '../engine/lakeTable.ts';
import type { Sql } from '../ledger/control.ts';

/** Tables whose batches are counted at once. */
const atOnce = 4;
/** Batches of a table that are compared at once: those of years are more than memory holds. */
const usualBatches = 100_000;
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
  batchesAtOnce = usualBatches,
): Promise<Failure[]> {
  const tables = await control.query<{ name: string }>('SELECT DISTINCT table_name AS name FROM firn.batch_file');
  const found = await mapAtOnce(tables, atOnce, async ({ name }) => {
    const kept = batchesName(name) in snapshots ? batchesName(name) : name;
    if (unreadable.has(kept)) return [];
    const messages: string[] = [];
    for (let after: string | undefined = '-1'; after !== undefined && messages.length < shown; ) {
      const known = await knownBatches(control, name, publishedAt, after, batchesAtOnce);
      const last: string | undefined = known.length < batchesAtOnce ? undefined : known.at(-1)?.id;
      messages.push(...differing(known, await heldBatches(engine, kept, snapshots[kept], after, last)));
      after = last;
    }
    return messages.slice(0, shown).map((message): Failure => ({ check: 'load', item: kept, message }));
  });
  return found.flat();
}

interface Batch {
  readonly id: string;
  readonly rows: string;
  /** Whether a build had taken it up when the version was published. */
  readonly is_shown: boolean;
}

/** The next batches of a table that the ledger notes. */
const knownBatches = (control: Sql, table: string, publishedAt: string, after: string, most: number) =>
  control.query<Batch>(
    // Batches of a warehouse that was moved here are no loads: builds show them with those from before, once all of them are applied.
    `SELECT f.batch_id AS id, f.rows, coalesce(CASE WHEN l.load_id IS NOT NULL THEN l.built_at
       ELSE (SELECT max(built_at) FROM firn.load WHERE load_id < f.batch_id) END <= $2::timestamptz, false) AS is_shown
     FROM firn.batch_file AS f LEFT JOIN firn.load AS l ON l.load_id = f.batch_id
     WHERE f.table_name = $1 AND f.batch_id > $3 ORDER BY f.batch_id LIMIT $4`,
    [table, publishedAt, after, most],
  );

/** How many rows a snapshot holds of each batch behind one, up to another one or to the end, with those of numbers that no ledger gives. */
async function heldBatches(
  engine: Engine,
  kept: string,
  snapshot: string | undefined,
  after: string,
  last: string | undefined,
): Promise<Map<string, bigint>> {
  if (snapshot === undefined) return new Map();
  const end = last === undefined ? 'OR firn_batch < 0 OR firn_batch IS NULL' : `AND firn_batch <= ${last}`;
  const rows = await engine.query<{ id: bigint; held: bigint }>(
    `SELECT firn_batch AS id, count(*) AS held FROM ${engine.asOf(kept, snapshot)} WHERE firn_batch > ${after} ${end} GROUP BY firn_batch`,
  );
  return new Map(rows.map(({ id, held }) => [String(id), held]));
}

/** What is told of batches of which there are more or fewer rows than the ledger notes. */
function differing(known: readonly Batch[], held: Map<string, bigint>): string[] {
  const wrong = known.flatMap(({ id, rows: written, is_shown }) => {
    const count = held.get(id);
    held.delete(id);
    if (count === undefined ? !is_shown : count === BigInt(written)) return [];
    return [`${count ?? 0} rows come from batch ${id}, which has ${written}`];
  });
  const foreign = [...held].map(([id, count]) => `${count} rows come from batch ${id}, which the ledger does not know`);
  return [...wrong, ...foreign];
}
