import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { bech32 } from '@scure/base';
import { type DevnetOptions, type Ledger, readLedger, startDevnet } from 'firn-devnet';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Json } from '../../devnet/test/services/servicesHarness.ts';
import { type Project, project } from '../cli/cliHarness.ts';
import { watchServer } from '../cli/watchServer.ts';
import { some } from '../some.ts';
import { currentRows, type Streams, syncOnce, withFolder } from './standardHarness.ts';

// What services do on the wire, each way with the embedded network doing it. Ways that another file tests already are
// named in the table below, and the table is checked.

const head = '6%';
let ledger: Ledger;
let chainId: string;
let latest: Streams;

beforeAll(async () => {
  ledger = await readLedger();
  chainId = String(ledger.c.evmChainId);
  latest = { 'data/latest_transactions': { chainIds: [chainId], from: 0, pageSize: 20 } };
});

/** A network, a server in front of its services, and a configuration that reads them. The node is left out where it is not needed. */
async function home(streams: Streams, options: DevnetOptions = {}, data: object = {}) {
  const devnet = await startDevnet({ ledger, head, ...options });
  onTestFinished(() => devnet.close());
  const api = await watchServer(() => devnet.url);
  const sources = { data: { url: api.url, network: 'fuji', ...data }, metrics: { url: api.url } };
  const own = await project({ sources, pipelines: { main: { streams } } });
  return { devnet, api, ...own };
}

/** Rows of a table but for when they came. */
async function rowsOf({ query }: Pick<Project, 'query'>, table = 'raw.data_latest_transactions'): Promise<string[]> {
  const rows = await query<{ row: string }>(
    `SELECT to_json(t)::VARCHAR AS "row" FROM (SELECT COLUMNS(c -> c NOT IN ('_load_id', '_valid_from', '_valid_to')) FROM ${table}) AS t ORDER BY 1`,
  );
  return rows.map(({ row }) => row);
}

const honest = new Map<string, Promise<string[]>>();

/** What an honest network brings; read once a file. */
function honestRows(streams: Streams, table = 'raw.data_latest_transactions'): Promise<string[]> {
  const key = JSON.stringify([streams, table]);
  const rows = honest.get(key) ?? readHonest(streams, table);
  honest.set(key, rows);
  return rows;
}

async function readHonest(streams: Streams, table: string): Promise<string[]> {
  const honest = await home(streams);
  expect((await honest.firn('sync')).code).toBe(0);
  const rows = await rowsOf(honest, table);
  expect(rows.length).toBeGreaterThan(20);
  return rows;
}

describe('pages', () => {
  test('a list that grows while it is read newest first, with a kill between pages', { tags: 'long' }, async () => {
    const streams: Streams = {
      ...latest,
      'data/primary_transactions': { blockchainIds: ['p-chain'], from: 0, pageSize: 9 },
    };
    const tables = ['raw.data_latest_transactions', 'raw.data_primary_transactions'];
    const devnet = await startDevnet({ ledger, head: '3%' });
    onTestFinished(() => devnet.close());
    const read = async (kills: readonly number[]) =>
      withFolder(async (folder) => {
        for (const [at, requests] of kills.entries()) {
          let left = requests;
          await syncOnce(folder, devnet, streams, {
            before(source) {
              if (source === 'data' && left-- <= 0) throw new Error('killed');
            },
          });
          devnet.moveHead(`${3 + (at + 1) / 2}%`);
        }
        await syncOnce(folder, devnet, streams);
        const rows = await currentRows(folder, ...tables);
        return tables.map((table) => rows[table]);
      });
    const torn = await read([3, 8]);
    const whole = await read([]);
    expect(torn[0]?.length).toBeGreaterThan(100);
    expect(torn[0]).toEqual(whole[0]);
    // A transaction is read once: its row does not follow what becomes of its outputs.
    const hashes = (rows: readonly string[] = []) => rows.map((row) => JSON.parse(row).tx_hash).sort();
    expect(hashes(torn[1])).toEqual(hashes(whole[1]));
  });

  test('a token that leads to itself: 4, what came is kept, and the next run has all', { tags: 'long' }, async () => {
    const wanted = await honestRows(latest);
    const { devnet, firn, query } = await home(latest, { faults: { loop: 1 } });
    const { code, out } = await firn('sync');
    expect([code, out]).toEqual([4, expect.stringMatching(/same page token|same token|token .*twice/i)]);
    expect((await rowsOf({ query })).length).toBeGreaterThan(0);
    devnet.setFaults({});
    expect((await firn('sync')).code).toBe(0);
    expect(await rowsOf({ query })).toEqual(wanted);
  });

  test('pages that the service leaves out cannot be seen in its list: reading the days again brings them', {
    tags: 'long',
  }, async () => {
    const wanted = await honestRows(latest);
    const { devnet, firn, query } = await home(latest, { faults: { missing: 0.5 } });
    expect((await firn('sync')).code).toBe(0);
    const less = await rowsOf({ query });
    expect(less.length).toBeLessThan(wanted.length);
    expect(less.filter((row) => !wanted.includes(row))).toEqual([]);
    devnet.setFaults({});
    const day = (moment: number) => new Date(moment).toISOString().slice(0, 10);
    const days = `${day(ledger.firstMoment)}..${day(devnet.head.now())}`;
    const again = await firn('backfill', '--again', days, '--only-read');
    expect([again.code, again.err]).toEqual([0, '']);
    expect(await rowsOf({ query })).toEqual(wanted);
  });
});

describe('requests', () => {
  test.each([
    [true, true],
    [false, false],
  ])(
    'time filters of metrics that keep the start (%s) and the end (%s)',
    { tags: 'long' },
    async (startInclusive, endInclusive) => {
      const streams = {
        'metrics/chain_metrics': {
          chainIds: [chainId],
          metrics: ['txCount'],
          timeIntervals: ['hour', 'day'],
          from: '2026-01-21',
        },
      };
      const wanted = await honestRows(streams, 'raw.metrics_chain_metrics');
      const { firn, query } = await home(streams, { services: { startInclusive, endInclusive } });
      expect((await firn('sync')).code).toBe(0);
      expect(await rowsOf({ query }, 'raw.metrics_chain_metrics')).toEqual(wanted);
    },
  );

  test('a comma list that is too long for a URL is split, and nothing is lost or doubled', {
    tags: 'long',
  }, async () => {
    const owners = await ownersOf();
    const prefix = owners[0]?.split('1')[0] ?? '';
    const strangers = Array.from({ length: 150 }, (_, i) =>
      bech32.encode(prefix, bech32.toWords(new Uint8Array(20).fill(i + 1))),
    );
    const streams = (addresses: string[]) => ({
      'data/primary_transactions': { blockchainIds: ['p-chain'], addresses, from: '1970-01-01' },
    });
    const table = 'raw.data_primary_transactions';
    const wanted = await honestRows(streams(owners), table);
    const { api, firn, query } = await home(streams([...strangers.slice(0, 80), ...owners, ...strangers.slice(80)]));
    expect((await firn('sync')).code).toBe(0);
    expect(await rowsOf({ query }, table)).toEqual(wanted);
    const lists = api.seen.flatMap(({ path }) => new URL(path, api.url).searchParams.get('addresses') ?? []);
    expect(new Set(lists).size).toBeGreaterThan(2);
    expect(lists.filter((list) => list.length > 4000)).toEqual([]);
    const { out } = await firn('plan');
    expect(out).toMatch(/\d+ addresses take \d requests/);
  });

  test('addresses in any case and with any prefix are the same', { tags: 'long' }, async () => {
    const owners = await ownersOf();
    const streams = (change: (address: string) => string) => ({
      'data/utxos': { blockchainIds: ['p-chain'], addresses: owners.map(change), includeSpent: true },
    });
    const wanted = await honestRows(streams(String), 'raw.data_utxos');
    const written = [(a: string) => `P-${a}`, (a: string) => a.toUpperCase(), (a: string) => `X-${a.toUpperCase()}`];
    const { firn, query } = await home(
      streams((address) => written[owners.indexOf(address) % 3]?.(address) ?? address),
    );
    expect((await firn('sync')).code).toBe(0);
    expect(await rowsOf({ query }, 'raw.data_utxos')).toEqual(wanted);
  });
});

async function ownersOf(): Promise<string[]> {
  const devnet = await startDevnet({ ledger, head });
  try {
    const list = `${devnet.url}/v1/networks/fuji/blockchains/p-chain/transactions?pageSize=100`;
    const { transactions }: Json = await (await fetch(list)).json();
    const names: string[] = transactions.flatMap((tx: Json) => tx.emittedUtxos.flatMap((utxo: Json) => utxo.addresses));
    return [...new Set(names)].slice(0, 5);
  } finally {
    await devnet.close();
  }
}

describe('answers', () => {
  test('400 with a list of messages: all of them are told', async () => {
    const [owner = ''] = await ownersOf();
    const { firn } = await home({
      'data/primary_transactions': {
        blockchainIds: ['p-chain'],
        addresses: [owner],
        txTypes: ['TxOfTheFuture'],
        from: '1970-01-01',
      },
    });
    const { code, out } = await firn('sync');
    expect(code).toBe(1);
    expect(out).toMatch(/answered 400 Bad Request: "each value in txTypes must be one of/);
  });

  test('201 is success', { tags: 'long' }, async () => {
    const streams = { 'data/utxos': { blockchainIds: ['p-chain'], addresses: await ownersOf(), includeSpent: true } };
    const wanted = await honestRows(streams, 'raw.data_utxos');
    const { api, firn, query } = await home(streams);
    api.meddle = async (_, response, pass) => {
      const answer = await pass();
      response.writeHead(201, answer.headers).end(answer.body);
      return true;
    };
    expect((await firn('sync')).code).toBe(0);
    expect(await rowsOf({ query }, 'raw.data_utxos')).toEqual(wanted);
  });

  test('unknown words and members, missing members, null, numbers for text and the reverse: what a row says stays', {
    tags: 'long',
  }, async () => {
    // What a later release may add, leave out or word again.
    const changing = /_extra|method_|logo|milliseconds|min_delay/;
    const said = (rows: readonly string[]) =>
      rows.map((row) => JSON.stringify(Object.entries(JSON.parse(row)).filter(([name]) => !changing.test(name))));
    const wanted = await honestRows(latest);
    const { firn, query } = await home(latest, { faults: { drift: 1 } });
    expect((await firn('sync')).code).toBe(0);
    const rows = await rowsOf({ query });
    expect(said(rows).sort()).toEqual(said(wanted).sort());
    const seen = await query<{ member: string }>('SELECT DISTINCT member FROM firn.schema_change');
    expect(seen.map(({ member }) => member)).toContain('futureMember');
    const [kept] = await query<{ n: bigint }>(
      `SELECT count(*) AS n FROM raw.data_latest_transactions WHERE _extra LIKE '%futureMember%'`,
    );
    expect(kept?.n).toBeGreaterThan(0n);
  });

  test('2^256-1 and 2^64-1 keep every digit', { tags: 'long' }, async () => {
    const streams = { ...latest, ...(await nftStreams()) };
    const { firn, query } = await home(streams, { faults: { extreme: 1 } });
    expect((await firn('sync')).code).toBe(0);
    expect(await query('SELECT DISTINCT nonce::VARCHAR AS nonce FROM raw.data_latest_transactions')).toEqual([
      { nonce: String(2n ** 64n - 1n) },
    ]);
    expect(await query('SELECT DISTINCT token_erc_type AS kind, value_text FROM raw.data_token_transfers')).toEqual([
      { kind: 'ERC-20', value_text: String(2n ** 256n - 1n) },
    ]);
  });

  test('numbers that are none set their records aside, whole and with the reason; the rest is read', async () => {
    const wanted = await honestRows(latest);
    const { firn, query } = await home(latest, { faults: { absurd: 0.2 } });
    expect((await firn('sync')).code).toBe(4);
    const aside = await query<{ reason: string; record: string }>('SELECT reason, record FROM firn.quarantine');
    const rows = await rowsOf({ query });
    expect(aside.length).toBeGreaterThan(10);
    expect(rows.length + aside.length).toBe(wanted.length);
    for (const { reason } of some(aside))
      expect(reason).toMatch(/^(nonce|gasUsed|value): expected .*, got (-1|"0.5"|"0.7")/);
    expect(rows.filter((row) => !wanted.includes(row))).toEqual([]);
  });

  test('names with quotes, statements, line ends, NUL, emoji and right-to-left marks stay as they are', async () => {
    const { firn, query } = await home(await nftStreams(), { faults: { names: 1 } });
    expect((await firn('sync')).code).toBe(0);
    const names = await query<{ name: string }>('SELECT DISTINCT token_name AS name FROM raw.data_token_transfers');
    expect(names).toEqual([{ name: `"'; DROP TABLE x; --\n\u0000\u{1f3d4}\u202eabc` }]);
  });

  test('a redirect to another origin is not followed, and the key stays', async () => {
    const other = await watchServer(() => 'http://127.0.0.1:9');
    other.meddle = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"transactions":[]}');
      return true;
    };
    const { api, firn, query } = await home(latest, {}, { key: 'the-key-9f31' });
    api.meddle = ({ path }, response) => {
      response.writeHead(307, { location: other.url + path }).end();
      return true;
    };
    const { code, out } = await firn('sync');
    expect([code, out]).toEqual([1, expect.stringMatching(`answered 307 .* and points to ${other.url}`)]);
    expect(out).not.toContain('the-key-9f31');
    expect(await rowsOf({ query })).toEqual([]);
    expect(other.seen).toEqual([]);
  });
});

/** Transfers of the token that is used most. */
async function nftStreams(): Promise<Streams> {
  const devnet = await startDevnet({ ledger, head });
  try {
    const { transactions }: Json = await (
      await fetch(`${devnet.url}/v1/chains/${chainId}/transactions?pageSize=100`)
    ).json();
    for (const address of new Set<string>(transactions.flatMap(({ to }: Json) => to?.address ?? []))) {
      const { transfers }: Json = await (
        await fetch(`${devnet.url}/v1/chains/${chainId}/tokens/${address}/transfers`)
      ).json();
      if (transfers.length > 3 && transfers[0].erc20Token)
        return { 'data/token_transfers': { chainIds: [chainId], addresses: [address] } };
    }
    throw new Error('no token');
  } finally {
    await devnet.close();
  }
}

describe('quotas', () => {
  test('a quota that shrinks in mid-run: the pace follows, and every row comes', { tags: 'long' }, async () => {
    const wanted = await honestRows(latest);
    const { api, firn, query } = await home(latest);
    const windowMs = 1000;
    let asked = 0;
    let begun = Date.now();
    let used = 0;
    let refused = 0;
    api.meddle = async (_, response, pass) => {
      // 60 requests per window at first, then 4.
      const limit = ++asked < 6 ? 60 : 4;
      if (Date.now() - begun > windowMs) [begun, used] = [Date.now(), 0];
      const headers = {
        'ratelimit-policy': `${limit * 20};w=1`,
        'ratelimit-limit': String(limit * 20),
        'ratelimit-remaining': String(Math.max(0, limit - ++used) * 20),
        'ratelimit-reset': '1',
      };
      if (used > limit) {
        refused++;
        const body = JSON.stringify({ message: 'Too many', error: 'Too Many Requests', statusCode: 429 });
        response.writeHead(429, { ...headers, 'content-type': 'application/json', 'retry-after': '1' }).end(body);
        return true;
      }
      const answer = await pass();
      response.writeHead(answer.status, { ...answer.headers, ...headers }).end(answer.body);
      return true;
    };
    expect((await firn('sync')).code).toBe(0);
    expect(await rowsOf({ query })).toEqual(wanted);
    expect(asked).toBeGreaterThan(8);
    // One window may be misjudged; a client that went on as before would be refused at every other request.
    expect(refused).toBeLessThanOrEqual(2);
  });

  test("the service's daily quota is used up: 75, what was read stays, and the next day goes on", {
    tags: 'long',
  }, async () => {
    const wanted = await honestRows(latest);
    let now = Date.now();
    const { firn, query, warehouse } = await home(latest, { quota: { perDay: 200 }, clock: () => now });
    let runs = 0;
    let before = -1;
    for (let code = 75; code === 75 && runs < 20; runs++) {
      const result = await firn('sync');
      code = result.code;
      const rows = await rowsOf({ query });
      expect(rows.length).toBeGreaterThan(before);
      before = rows.length;
      if (code === 75) expect(result.out).toMatch(/429|asks for no requests until/);
      now += 24 * 3600 * 1000;
      // The pause that the service asked for is over by then; only the service's clock is moved here.
      await rm(join(warehouse, '.state', 'pauses'), { recursive: true, force: true });
    }
    expect(runs).toBeGreaterThan(1);
    expect(await rowsOf({ query })).toEqual(wanted);
  });

  test('the own daily quota is used up: 75, and the next day goes on', { tags: 'long' }, async () => {
    const wanted = await honestRows(latest);
    const { firn, query, open } = await home(latest, {}, { quota: { perDay: 200 } });
    let runs = 0;
    for (let code = 75; code === 75 && runs < 20; runs++) {
      ({ code } = await firn('sync'));
      // Night falls.
      const state = await open();
      await state.run('UPDATE firn.quota SET "day" = "day" - INTERVAL 1 DAY');
      state.close();
    }
    expect(runs).toBeGreaterThan(1);
    expect(await rowsOf({ query })).toEqual(wanted);
  });
});

const here = 'test/pipelines/wire.test.ts';
const standard = 'test/pipelines/standard.test.ts';

/** Every way, the file that tests it against the embedded network, and the name of the test. */
test.each<[string, string, string]>([
  ['token expiry in mid-read', standard, 'a network that forgets its page tokens in the middle'],
  [
    'a page that grows, newest first, with a kill between pages',
    here,
    'a list that grows while it is read newest first',
  ],
  [
    'duplicate, overlapping, reordered pages',
    standard,
    'duplicate: 0.05,\n      overlapping: 0.05,\n      reordered: 0.05',
  ],
  ['missing pages', here, 'pages that the service leaves out'],
  ['a range with a hole', 'test/cli/sources.test.ts', 'a range with a hole: 4'],
  ['token loop', here, 'a token that leads to itself'],
  ['an empty page with a token', standard, 'empty: 0.05'],
  [
    'time filters, of transactions',
    'test/pipelines/data-api/histories.test.ts',
    'keep to their bounds where the service takes',
  ],
  ['time filters, of metrics', here, 'time filters of metrics that keep'],
  ['a long comma list', here, 'a comma list that is too long for a URL'],
  ['400 with a list', here, '400 with a list of messages'],
  ['201', here, '201 is success'],
  ['201 of an action', 'test/cli/sign.test.ts', 'signs messages with every field'],
  ['unknown words and members, missing ones, null, number for text', standard, 'faults: { drift: 0.3 }'],
  ['the same, value by value', here, 'what a row says stays'],
  ['2^256-1, 2^64-1', here, '2^256-1 and 2^64-1 keep every digit'],
  ['negative, fractional', here, 'numbers that are none set their records aside'],
  ['mixed case, prefixes', here, 'addresses in any case and with any prefix'],
  ['mixed case of EVM addresses', 'test/pipelines/specification.ts', 'sends: lowerCase'],
  ['odd names', here, 'names with quotes, statements, line ends, NUL'],
  ['redirect', here, 'a redirect to another origin is not followed'],
  ['a quota that shrinks', here, 'a quota that shrinks in mid-run'],
  ["the service's daily quota", here, "the service's daily quota is used up"],
  ['the own daily quota', here, 'the own daily quota is used up: 75, and the next day'],
])('%s is tested', (_, file, title) => {
  expect(readFileSync(join(resolve(import.meta.dirname, '../..'), file), 'utf8')).toContain(title);
});
