import { hostname } from 'node:os';
import { packageVersion, querySql } from '../../load/packageFiles.ts';
import type { Control } from '../ledger/control.ts';
import { tablesOfBatches } from '../ledger/tablesOfBatches.ts';
import type { LastBuild, Stretches } from './lakeCut.ts';

/** A build, by which firn and machine (null of one before 0.2), and whether it came to its end. */
export interface KnownBuild extends LastBuild {
  readonly isWhole: boolean;
  readonly firnVersion: string | null;
  readonly machine: string | null;
}

/** What the control database knows of builds. */
export interface Builds {
  /**
   * Loads that no build shows yet and whose files are all part of their tables. A file of a warehouse that was moved here has rows of any load from
   * before: its number is that of none.
   */
  unbuilt(): Promise<number[]>;
  /**
   * Batches of the loads that no build shows, other than these, as stretches by table: some tables may hold their rows already, others not yet. Of rows
   * that were moved here, too.
   */
  unbuiltBeside(loads: readonly number[]): Promise<Stretches>;
  /** The last build; of one that did not come to its end, what is said is of the last one by these models that did, without snapshots where there is none. */
  last(): Promise<KnownBuild | undefined>;
  /**
   * Notes that a build by some models began: until it comes to its end tables may not fit together. Of other models than those of the last one it
   * builds everything anew, and what it leaves half way no build compares with.
   */
  begin(modelsHash: string): Promise<void>;
  /** Notes that a build came to its end, and which loads it shows. */
  finish(loads: readonly number[], build: LastBuild): Promise<void>;
}

export const createBuilds = (control: Control): Builds => ({
  async unbuilt() {
    const rows = await control.query<{ id: string }>(
      `SELECT load_id AS id FROM firn.load WHERE built_at IS NULL
       AND load_id NOT IN (SELECT batch_id FROM firn.batch_file WHERE applied_at IS NULL)
       AND load_id > (SELECT coalesce(max(batch_id), -1) FROM firn.batch_file AS f
         WHERE applied_at IS NULL AND NOT EXISTS (SELECT 1 FROM firn.load AS o WHERE o.load_id = f.batch_id))
       ORDER BY load_id`,
    );
    return rows.map(({ id }) => Number(id));
  },
  async unbuiltBeside(loads) {
    const rows = await control.query<Record<'table' | 'first' | 'last', string>>(
      querySql('batches_beside', { tables: tablesOfBatches }),
      [loads],
    );
    const found: Record<string, [first: number, last: number][]> = {};
    for (const { table, first, last } of rows) found[table] = [...(found[table] ?? []), [Number(first), Number(last)]];
    return found;
  },
  async last() {
    const [last] = await control.query<KnownBuild>(
      `SELECT models_hash AS "modelsHash", snapshots, partial, behind, is_whole AS "isWhole", firn_version AS "firnVersion", machine
       FROM firn.build WHERE models_hash <> ''`,
    );
    return last;
  },
  async begin(modelsHash) {
    await control.query(
      `INSERT INTO firn.build AS b (models_hash, snapshots, is_whole, firn_version, machine) VALUES ($1, '{}', false, $2, $3) ON CONFLICT (is_one)
       DO UPDATE SET models_hash = excluded.models_hash, snapshots = CASE WHEN b.models_hash = $1 THEN b.snapshots ELSE excluded.snapshots END,
         is_whole = false, firn_version = excluded.firn_version, machine = excluded.machine`,
      [modelsHash, packageVersion(), hostname()],
    );
  },
  finish: (loads, { modelsHash, snapshots, partial, behind }) =>
    control.transaction(async (sql) => {
      await sql.query('UPDATE firn.load SET built_at = now() WHERE load_id = ANY($1::bigint[])', [loads]);
      await sql.query(
        `INSERT INTO firn.build (models_hash, snapshots, partial, behind, is_whole, firn_version, machine) VALUES ($1, $2, $3, $4, true, $5, $6) ON CONFLICT (is_one)
         DO UPDATE SET models_hash = excluded.models_hash, snapshots = excluded.snapshots, partial = excluded.partial, behind = excluded.behind, is_whole = true,
           built_at = now(), firn_version = excluded.firn_version, machine = excluded.machine`,
        [modelsHash, JSON.stringify(snapshots), JSON.stringify(partial), behind, packageVersion(), hostname()],
      );
    }),
});
