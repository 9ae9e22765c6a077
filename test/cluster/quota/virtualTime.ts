import { setImmediate } from 'node:timers/promises';
import type { Control } from '../../../src/cluster/ledger/control.ts';
import type { Clock } from '../../../src/extract/clock.ts';

/** Time that passes when nobody has anything to do: for workers of this process, and for the functions of their database. */
export interface VirtualTime extends Clock {
  /** Tells it of every statement: while one is under way time stands still. */
  watched(control: Control): Pick<Control, 'query'>;
  /** Lets time pass until the work is done. */
  pass<T>(work: Promise<T>): Promise<T>;
}

/** Turns of the event loop after which whoever was woken has gone to sleep again, or asked the database. */
const turns = 20;

/**
 * @param control the database, in which `clock_timestamp()` is this time from now on, for connections that are opened then
 * @param latencyMs of a statement
 */
export async function createVirtualTime(control: Control, latencyMs: number): Promise<VirtualTime> {
  const [row] = await control.query<{ name: string }>('SELECT current_database() AS name');
  await control.query(
    `CREATE SCHEMA virtual; CREATE TABLE virtual.now (ms bigint); INSERT INTO virtual.now VALUES (0);
     CREATE FUNCTION virtual.clock_timestamp() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT to_timestamp(ms / 1000.0) FROM virtual.now';
     ALTER DATABASE ${row?.name} SET search_path = virtual, pg_catalog, public`,
  );
  let now = 0;
  let statements = 0;
  let sleeping: { readonly until: number; wake(): void }[] = [];
  const after: Clock['after'] = (ms, wake) => {
    const entry = { until: now + Math.max(0, ms), wake };
    sleeping.push(entry);
    return () => {
      sleeping = sleeping.filter((other) => other !== entry);
    };
  };
  const sleep: Clock['sleep'] = (ms) => new Promise((wake) => void after(ms, wake));
  return {
    now: () => now,
    sleep,
    after,
    watched: ({ query }) => ({
      async query(...asked) {
        await sleep(latencyMs);
        statements++;
        try {
          return await query(...(asked as Parameters<typeof query>));
        } finally {
          statements--;
        }
      },
    }),
    async pass(work) {
      let isOver = false;
      const end = () => {
        isOver = true;
      };
      work.then(end, end);
      while (!isOver) {
        for (let turn = 0; turn < turns; turn++) await setImmediate();
        if (statements > 0 || isOver) continue;
        const next = Math.min(...sleeping.map(({ until }) => until));
        if (next === Number.POSITIVE_INFINITY) continue;
        now = next;
        await control.query('UPDATE virtual.now SET ms = $1', [Math.ceil(now)]);
        const due = sleeping.filter(({ until }) => until <= now);
        sleeping = sleeping.filter(({ until }) => until > now);
        for (const { wake } of due) wake();
      }
      return work;
    },
  };
}
