import type { Sql } from './control.ts';
import { isoTime } from './isoTime.ts';
import { isTaken } from './leases.ts';

/** Work that one process at a time does, and that one is doing now. */
export interface TaskUnderWay {
  /** Such as `build`, or `apply raw.node_evm_blocks`. */
  readonly name: string;
  /** Its machine and process; null where an earlier firn does it. */
  readonly owner: string | null;
  /** ISO 8601; null likewise. */
  readonly since: string | null;
}

/** What is being done now; of a process that was killed or stands still up to a minute ago, too. */
export const readTasks = (control: Sql): Promise<TaskUnderWay[]> =>
  // A control database that no process of this version opened has no column of it.
  control.query<TaskUnderWay>(
    `SELECT name, to_jsonb(t) ->> 'owner' AS owner,
       ${isoTime(`(to_jsonb(t) ->> 'begun_at')::timestamptz AT TIME ZONE 'UTC'`)} AS since
     FROM firn.task AS t WHERE ${isTaken} ORDER BY name`,
  );
