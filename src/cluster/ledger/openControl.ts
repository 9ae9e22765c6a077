import type { Pool, PoolClient, QueryResultRow } from 'pg';
import { FirnError, hasCode } from '../../core/firnError.ts';
import { type Advices, adviceOn } from '../../core/text/adviceOn.ts';
import { loadOptional } from '../loadOptional.ts';
import type { Control, Sql } from './control.ts';
import { migrateControl } from './migrateControl.ts';

/** The version that the lock file of this package tests. */
const pgVersion = '8.23.1';
/** A statement never waits longer for a lock, and takes seconds else: a server that says nothing for so long is taken for lost, in milliseconds. */
const usualAnswerMs = 120_000;
/** At most, of one process. */
const usualConnections = 8;
/** Limits of the URL's own that the client knows by name. */
const ownLimits = /([?&])(?:statement_timeout|lock_timeout|idle_in_transaction_session_timeout|query_timeout)=[^&#]*/g;
/** The schema uses NULLS NOT DISTINCT. */
export const oldestPostgres = 15;

/**
 * Opens the control database, and brings its schema up to date.
 *
 * @param url `postgresql://user:password@host:port/database`
 * @param options.before looks at it before its schema is made or brought up to date
 * @param options.answerMs how long an answer is waited for, in milliseconds
 * @throws FirnError `config` · `unavailable` · `unauthorized` · `newer_warehouse`
 */
export async function openControl(
  url: string,
  {
    connections = usualConnections,
    migrates = true,
    before = async (_: Sql): Promise<void> => {},
    answerMs = usualAnswerMs,
  } = {},
): Promise<Control> {
  // Whether the database was there already, with its schema.
  let isKnown = false;
  const { default: pg } = await loadOptional('pg', pgVersion, () => import('pg'));
  // A statement never waits longer for a lock than a lease lives, and none goes on that was given up here. What the user has for others would end some of these.
  // Each looks at few rows, whatever the planner guesses: to compile one takes longer than to run it.
  const options = `-c jit=off -c lock_timeout=30000 -c idle_in_transaction_session_timeout=60000 -c statement_timeout=${answerMs}`;
  const given = {
    // What the URL has the client takes instead of these. Of two options the last one counts, and before all of them a limit that is named alone.
    connectionString: url
      .replaceAll(/[?&]options=[^&#]*/g, (own) => `${own}+${options.replaceAll(' ', '+')}`)
      .replaceAll(ownLimits, '$1'),
    max: connections,
    connectionTimeoutMillis: 10_000,
    query_timeout: answerMs,
    application_name: 'firn',
    options,
    keepAlive: true,
  };
  try {
    // A password that begins with digits would be taken for a port, and what follows a / or ? for a name that servers repeat.
    if (/^\w+:\/\/[^/?#@]*[/?#][^=@]*@/.test(url)) throw new TypeError('Invalid URL');
    new pg.Client(given);
  } catch (error) {
    throw notServing('config', error, adviceOn((error as Error).message, clientAdvices) ?? 'Correct control.');
  }
  const pool: Pool = new pg.Pool(given);
  // The next statement reports a connection that broke while it was idle, in the pool or between two statements of a transaction.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const fail = (error: unknown): never => {
    throw controlError(error, isKnown);
  };
  const on = (client: Pool | PoolClient): Sql => ({
    query: async <R extends QueryResultRow>(text: string, values?: readonly unknown[]) =>
      (await client.query<R>(text, values as unknown[]).catch(fail)).rows,
  });
  const control: Control = {
    ...on(pool),
    async transaction(work) {
      const client = await pool.connect().catch(fail);
      const sql = on(client);
      let isBroken = false;
      try {
        await sql.query('BEGIN');
        const value = await work(sql);
        await sql.query('COMMIT');
        return value;
      } catch (error) {
        isBroken = hasCode(error, 'unavailable');
        // With its connection the server gives it up by itself.
        if (!isBroken) await client.query('ROLLBACK').catch(() => {});
        throw error;
      } finally {
        client.release(isBroken);
      }
    },
    close: () => pool.end(),
  };
  if (migrates) {
    try {
      await before(control);
      await migrateControl(control);
    } catch (error) {
      await control.close();
      throw error;
    }
    isKnown = true;
  }
  return control;
}

/** What may help where waiting alone may not, by PostgreSQL's codes. */
const advices: Advices = [
  // A pooler passed no options, so that a limit of the user's own counts.
  [
    /^57014$/,
    'Nothing of it was done. Where it comes again: ALTER ROLE .. SET statement_timeout = 0 for the user of control.',
  ],
  // No disk of this machine: workers go on once there is room.
  [/^53100$/, 'Give it room: nothing was lost, and workers go on then.'],
  [
    /^53300$/,
    `Each firn process opens up to ${usualConnections}: raise max_connections or the user's CONNECTION LIMIT, or run fewer. Nothing was lost, and workers go on then.`,
  ],
  [
    /^(40P01|55P03)$/,
    'Others hold what it needs, such as a backup (pg_dump), or workers that were not stopped before an upgrade. Nothing of it was done: workers try again; run a command again when that is over.',
  ],
  // Its disk may be full, by a rule of who runs it; or another server took over, and its address leads there, or will.
  [
    /^25006$/,
    'It takes no writes: it is a standby, or default_transaction_read_only is on. Nothing was lost, and workers go on once it takes them; correct control where another server took over.',
  ],
];

/** What may help where no connection comes about, by what the client says. */
const clientAdvices: Advices = [
  [
    /^Invalid URL/,
    'Name one server in control, and write signs of the password as a URL has them: %2F for /, %40 for @.',
  ],
  [/does not support SSL/, 'Turn TLS on there, or write sslmode=disable in control.'],
  [
    /certificate/,
    'In control, name the server as its certificate does, and by sslmode=verify-full&sslrootcert=.. the file of who signed it.',
  ],
  [/password must be a string/, 'Write user and password in control.'],
];

const notServing = (kind: 'unavailable' | 'unauthorized' | 'config', error: unknown, next: string) =>
  new FirnError(kind, `The control database does not serve: ${(error as Error).message}. ${next}`, {
    cause: error,
    retryable: kind === 'unavailable',
  });

/** What an error of PostgreSQL means. Others (a constraint, a mistake in SQL) stay what they are. */
function controlError(error: unknown, wasThere: boolean): unknown {
  const { code = '', message } = error as { code?: string; message: string };
  const of = (kind: Parameters<typeof notServing>[0], next: string) => notServing(kind, error, next);
  const byClient = /^[\dA-Z]{5}$/.test(code) ? undefined : adviceOn(message, clientAdvices);
  if (byClient !== undefined) return of('config', byClient);
  // Dropped, closed or empty for a moment.
  if (wasThere && /^(3D000|55000|3F000|42P01)$/.test(code))
    return of(
      'unavailable',
      'It was there before: workers wait while it is being restored. If it has another name now, correct control and start again.',
    );
  if (/^28.*no encryption$/.test(`${code} ${message}`))
    return of('unauthorized', 'Where it wants TLS, write sslmode=verify-full in control.');
  if (/^28/.test(code)) return of('unauthorized', 'Correct user and password in control.');
  if (code === '42501') return of('unauthorized', 'firn doctor says which grants it needs.');
  if (code === '3D000') return of('config', 'Make the database, or correct its name in control.');
  if (!wasThere && /^(22023|42704)$/.test(code)) return of('config', 'Correct the options in control.');
  if (code === '08P01')
    return of(
      'config',
      'Name PostgreSQL itself in control, or let PgBouncer pass: ignore_startup_parameters = options.',
    );
  const advice = adviceOn(code, advices);
  const isLost = /^(08|57|53|40001|25P03)/.test(code) || /^E[A-Z]+$/.test(code);
  if (advice !== undefined || isLost || /timeout|terminated|Connection/i.test(message))
    return of('unavailable', advice ?? 'What was committed stays; workers go on when it is back.');
  return error;
}
