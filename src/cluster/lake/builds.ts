import type { Control } from '../ledger/openControl.ts';
import type { LastBuild } from './lakeChanges.ts';

/** What the control database knows of builds. */
export interface Builds {
  /** Loads that no build shows yet and whose files are all part of their tables. */
  unbuilt(): Promise<number[]>;
  /** The last build that came to its end, and whether none began since. */
  last(): Promise<(LastBuild & { readonly isWhole: boolean }) | undefined>;
  /** Notes that a build began: until it comes to its end tables may not fit together. */
  begin(): Promise<void>;
  /** Notes that a build came to its end, and which loads it shows. */
  finish(loads: readonly number[], build: LastBuild): Promise<void>;
}

export const createBuilds = (control: Control): Builds => ({
  async unbuilt() {
    const rows = await control.query<{ id: string }>(
      `SELECT load_id AS id FROM firn.load AS l WHERE built_at IS NULL
       AND NOT EXISTS (SELECT 1 FROM firn.batch_file AS f WHERE f.batch_id = l.load_id AND f.applied_at IS NULL) ORDER BY load_id`,
    );
    return rows.map(({ id }) => Number(id));
  },
  async last() {
    const [row] = await control.query<{ models_hash: string; snapshots: Record<string, string>; is_whole: boolean }>(
      `SELECT models_hash, snapshots, is_whole FROM firn.build WHERE models_hash <> ''`,
    );
    return row && { modelsHash: row.models_hash, snapshots: row.snapshots, isWhole: row.is_whole };
  },
  async begin() {
    await control.query(
      `INSERT INTO firn.build (models_hash, snapshots, is_whole) VALUES ('', '{}', false) ON CONFLICT (is_one) DO UPDATE SET is_whole = false`,
    );
  },
  finish: (loads, { modelsHash, snapshots }) =>
    control.transaction(async (sql) => {
      await sql.query('UPDATE firn.load SET built_at = now() WHERE load_id = ANY($1::bigint[])', [loads]);
      await sql.query(
        `INSERT INTO firn.build (models_hash, snapshots, is_whole) VALUES ($1, $2, true) ON CONFLICT (is_one)
         DO UPDATE SET models_hash = excluded.models_hash, snapshots = excluded.snapshots, is_whole = true, built_at = now()`,
        [modelsHash, JSON.stringify(snapshots)],
      );
    }),
});
