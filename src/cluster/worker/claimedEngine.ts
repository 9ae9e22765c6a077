import type { Engine } from '../contract.ts';
import type { Sql } from '../ledger/control.ts';

/** What changes where a control database was started anew, failed over to a copy, was restored, or another one took its name. */
const serverSql = `SELECT concat_ws(' ', pg_postmaster_start_time(), oid, 'firn.load'::regclass::oid) AS server FROM pg_database WHERE datname = current_database()`;

/**
 * An engine that uses no table before control database and lake are known to be of one time, and belong together. It is looked again once another
 * server answers for the control database: one that took over may lack what the lake has, and all of that would be read and applied once more. So it is
 * once files could not be applied: a table that somebody dropped lacks what was applied before.
 *
 * @param claim looks. @throws FirnError `config` as `refuseRestored` says
 */
export function claimedEngine(
  engine: Engine,
  control: Sql,
  claim: () => Promise<void>,
): Engine & { assertClaimed(): Promise<void> } {
  let claimed: string | undefined;
  let looking: Promise<void> | undefined;
  const look = async () => {
    const [row] = await control.query<{ server: string }>(serverSql);
    if (row?.server === claimed) return;
    await claim();
    claimed = row?.server;
  };
  /** Tables that are used at once are looked for once. */
  const claimOnce = () => {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  };
  return {
    ...engine,
    assertClaimed: claimOnce,
    async ensureTable(table) {
      await claimOnce();
      return engine.ensureTable(table);
    },
    async apply(table, batches) {
      try {
        return await engine.apply(table, batches);
      } catch (error) {
        // Somebody may have dropped the table: made anew it would have the newest rows alone.
        claimed = undefined;
        throw error;
      }
    },
  };
}
