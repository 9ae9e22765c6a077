import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import type { Control } from '../../../src/cluster/ledger/control.ts';
import { migrateControl } from '../../../src/cluster/ledger/migrateControl.ts';
import { openControl } from '../../../src/cluster/ledger/openControl.ts';
import { openLedger } from '../../../src/cluster/ledger/openLedger.ts';
import { freshDatabase } from '../postgres.ts';

let url: string;
let control: Control;
beforeAll(async () => {
  url = await freshDatabase();
  control = await openControl(url);
});
afterAll(() => control.close());

test('a statement that somebody cancels may be sent again', async () => {
  const error = control.transaction(async (sql) => {
    const [own] = await sql.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const sleeping = sql.query('SELECT pg_sleep(60)');
    const cancelling = setInterval(() => void control.query('SELECT pg_cancel_backend($1)', [own?.pid]), 50);
    await sleeping.finally(() => clearInterval(cancelling));
  });
  await expect(error).rejects.toMatchObject({ code: 'unavailable', retryable: true });
});

test.each([
  ['53100', 'could not extend file "base/1"', 'Give it room'],
  ['53300', 'too many connections for role "firn"', 'opens up to 8: raise max_connections'],
  ['55P03', 'canceling statement due to lock timeout', 'such as a backup (pg_dump)'],
  ['40P01', 'deadlock detected', 'such as a backup (pg_dump)'],
  ['25006', 'cannot execute UPDATE in a read-only transaction', 'It takes no writes'],
])('a server that says %s is one that is away, and it is said what helps', async (code, said, helps) => {
  const refuses = `DO $$ BEGIN RAISE EXCEPTION '${said}' USING ERRCODE = '${code}'; END $$`;
  const message = expect.stringContaining(`${said}. `);
  await expect(control.query(refuses)).rejects.toMatchObject({ code: 'unavailable', retryable: true, message });
  await expect(control.query(refuses)).rejects.toThrow(helps);
  expect(await control.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('a connection that breaks between two statements of a transaction ends no process', async () => {
  await expect(
    control.transaction(async (sql) => {
      const [own] = await sql.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await control.query('SELECT pg_terminate_backend($1)', [own?.pid]);
      await new Promise((resolve) => setTimeout(resolve, 100));
      await sql.query('SELECT 1');
    }),
  ).rejects.toMatchObject({ code: 'unavailable', retryable: true });
  expect(await control.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('a server that stops answering is given up, and asked again by a new connection', { tags: 'long' }, async () => {
  const { hostname, port, pathname } = new URL(url);
  let isSilent = false;
  const way = createServer((near) => {
    const far = connect(Number(port), hostname);
    near.on('data', (asked) => isSilent || far.write(asked)).on('close', () => far.destroy());
    far.on('data', (said) => near.write(said)).on('close', () => near.destroy());
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void way.close());
  await once(way, 'listening');
  const at = `postgresql://firn@127.0.0.1:${(way.address() as AddressInfo).port}${pathname}`;
  const other = await openControl(at, { migrates: false, answerMs: 500 });
  await other.query('SELECT 1');
  isSilent = true;
  const given = { code: 'unavailable', retryable: true };
  await expect(other.query('SELECT 1')).rejects.toMatchObject(given);
  isSilent = false;
  await expect(
    other.transaction((sql) => {
      isSilent = true;
      return sql.query('SELECT 1');
    }),
  ).rejects.toMatchObject(given);
  isSilent = false;
  expect(await other.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await other.close();
});

test('ten processes that begin at once migrate once, and share one warehouse', async () => {
  const fresh = await freshDatabase();
  const controls = await Promise.all(Array.from({ length: 10 }, () => openControl(fresh, { connections: 1 })));
  const ids = await Promise.all(controls.map(async (one) => (await openLedger(one)).warehouse));
  expect(new Set(ids).size).toBe(1);
  await controls[0]?.query(`INSERT INTO firn.migration VALUES (9999, 'newer', now())`);
  await expect(openControl(fresh)).rejects.toMatchObject({ code: 'newer_warehouse' });
  await Promise.all(controls.map((one) => one.close()));
});

test('what an earlier version noted as an age becomes the moment that it meant at the first load', async () => {
  const older = await openControl(await freshDatabase());
  onTestFinished(() => older.close());
  for (const [partition, begun, day] of [
    ['a', '-36h', '04'],
    ['a', '-36h', '20'],
    ['b', '-2w', null],
    ['c', '7', '04'],
    ['d', '-2w', '20'],
  ] as const) {
    await older.query(
      `INSERT INTO firn.partition (stream, partition, begun) VALUES ('s', $1, $2) ON CONFLICT DO NOTHING`,
      [partition, begun],
    );
    if (day)
      await older.query(
        `INSERT INTO firn.load (load_id, run_id, stream, partition, pages, rows_in, rows_written, rows_quarantined, bytes, committed_at)
         SELECT count(*), 'r', 's', $1, 1, 1, 1, 0, 1, $2::timestamp FROM firn.load`,
        [partition, `2026-03-${day} 12:00`],
      );
  }
  await older.query('DELETE FROM firn.migration WHERE version >= 22');
  await migrateControl(older);
  expect(await older.query('SELECT partition, begun FROM firn.partition ORDER BY 1')).toEqual([
    { partition: 'a', begun: '2026-03-03T00:00:00Z' },
    { partition: 'b', begun: '-2w' },
    { partition: 'c', begun: '7' },
    { partition: 'd', begun: '2026-03-06T12:00:00Z' },
  ]);
});

test.each([
  ['postgresql://firn@127.0.0.1:1/firn', 'unavailable'],
  ['<server>/no_such_database', 'config'],
])('what keeps %s from being opened is told', async (given, code) => {
  const at = given.replace('<server>', url.slice(0, url.lastIndexOf('/')));
  await expect(openControl(at)).rejects.toMatchObject({ code, message: expect.stringContaining('control database') });
});

test.each([
  ['postgresql://firn:a/b@127.0.0.1:1/firn', 'Invalid URL. Name one server in control'],
  ['postgresql://127.0.0.1:1/b@127.0.0.1:1/firn', 'Invalid URL. Name one server in control'],
  ['postgresql://127.0.0.1:1?b@127.0.0.1:1/firn', 'Invalid URL. Name one server in control'],
  ['postgresql://one:1,other:1/firn', 'Invalid URL. Name one server in control'],
  ['<url>?sslmode=no-verify', 'does not support SSL connections. Turn TLS on there'],
  ['<url>?sslrootcert=/no/such/file', "open '/no/such/file'. Correct control."],
  ['<url>?options=-c%20no_such=1', 'unrecognized configuration parameter "no_such". Correct the options'],
  ['<url>?options=-c%20work_mem=much', 'invalid value for parameter "work_mem": "much". Correct the options'],
])('of %s, with which no connection can come about, nobody waits for an end', async (given, message) => {
  const opening = openControl(given.replace('<url>', url));
  await expect(opening).rejects.toMatchObject({ code: 'config', message: expect.stringContaining(message) });
});

test.each([
  [
    'a certificate that nobody known signed',
    { code: 'SELF_SIGNED_CERT_IN_CHAIN' },
    'self-signed certificate in certificate chain',
    'config',
    'sslrootcert',
  ],
  [
    'no password where one is needed',
    {},
    'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string',
    'config',
    'Write user and password',
  ],
  [
    'a server that wants TLS',
    { code: '28000' },
    'no pg_hba.conf entry for host "10.0.0.1", user "firn", database "firn", no encryption',
    'unauthorized',
    'sslmode=verify-full',
  ],
])('%s is told with what helps', async (_, named, message, code, helps) => {
  vi.spyOn(pg.Pool.prototype, 'connect').mockImplementation(() =>
    Promise.reject(Object.assign(new Error(message), named)),
  );
  onTestFinished(() => void vi.restoreAllMocks());
  const opened = await openControl(url, { migrates: false });
  await expect(opened.transaction(async () => {})).rejects.toMatchObject({
    code,
    message: expect.stringContaining(helps),
  });
});

test('a pooler that takes none of the options is no server that comes back by itself', async () => {
  const pooler = createServer((near) => {
    const fields = ['SFATAL', 'C08P01', 'Munsupported startup parameter in options: lock_timeout', ''].join('\0');
    const length = Buffer.alloc(4);
    length.writeInt32BE(fields.length + 5);
    near.once('data', () => near.end(Buffer.concat([Buffer.from('E'), length, Buffer.from(`${fields}\0`)])));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void pooler.close());
  await once(pooler, 'listening');
  await expect(
    openControl(`postgresql://firn@127.0.0.1:${(pooler.address() as AddressInfo).port}/firn`),
  ).rejects.toMatchObject({ code: 'config', message: expect.stringContaining('ignore_startup_parameters') });
});

test('what a user has for a limit of statements ends none of the ledger, and is named where a pooler lets it', async () => {
  const at = await freshDatabase();
  await control.query(`DO $$ BEGIN CREATE ROLE short LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$`);
  await control.query(`ALTER DATABASE ${at.slice(at.lastIndexOf('/') + 1)} OWNER TO short`);
  await control.query('ALTER ROLE short SET statement_timeout = 1');
  const own = await openControl(at.replace('firn@', 'short@'));
  onTestFinished(() => own.close());
  expect(await own.query('SELECT 1 AS one FROM pg_sleep(0.05)')).toEqual([{ one: 1 }]);
  const error = own.transaction(async (sql) => {
    await sql.query('SET LOCAL statement_timeout = 1');
    await sql.query('SELECT pg_sleep(1)');
  });
  await expect(error).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('ALTER ROLE .. SET statement_timeout'),
  });
});

test.each([
  ['options=-c%20statement_timeout=1%20-c%20search_path=x', 'x'],
  ['sslmode=disable&options=-c+search_path%3Dx&application_name=own', 'x'],
  ['options=', '"$user", public'],
  ['statement_timeout=1&lock_timeout=1&options=-c%20search_path=x', 'x'],
  ['options=-c+search_path=x&query_timeout=1&idle_in_transaction_session_timeout=1', 'x'],
])('options of the URL, %s, stand beside those that the ledger needs', async (given, searchPath) => {
  const own = await openControl(`${url}?${given}`, { answerMs: 34_000 });
  onTestFinished(() => own.close());
  const names = ['search_path', 'jit', 'lock_timeout', 'idle_in_transaction_session_timeout', 'statement_timeout'];
  const set = await own.query('SELECT current_setting(name) AS set FROM unnest($1::text[]) AS name', [names]);
  expect(set.map((row) => row['set'])).toEqual([searchPath, 'off', '30s', '1min', '34s']);
});

test('a server that takes no writes, as one of which another took over, is one that is away', async () => {
  const own = await openControl(await freshDatabase());
  onTestFinished(() => own.close());
  const error = own.transaction(async (sql) => {
    await sql.query('SET TRANSACTION READ ONLY');
    await sql.query(`UPDATE firn.task SET epoch = 0`);
  });
  await expect(error).rejects.toMatchObject({ code: 'unavailable', retryable: true });
});

test('a database that is gone for a moment, or empty, is waited for once it was there', async () => {
  const gone = await freshDatabase();
  const name = gone.slice(gone.lastIndexOf('/') + 1);
  const other = await openControl(gone, { connections: 1 });
  onTestFinished(() => other.close());
  const told = { code: 'unavailable', retryable: true, message: expect.stringContaining('while it is being restored') };
  const asked = () => other.query('SELECT 1 FROM firn.part');
  await control.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  await control.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
  await expect(asked()).rejects.toMatchObject({ code: 'unavailable' });
  await expect(asked()).rejects.toMatchObject(told);
  await control.query(`DROP DATABASE ${name}`);
  await expect(other.transaction(async (sql) => sql.query('SELECT 1'))).rejects.toMatchObject(told);
  await control.query(`CREATE DATABASE ${name}`);
  await expect(asked()).rejects.toMatchObject(told);
});
