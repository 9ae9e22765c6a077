import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join, resolve } from 'node:path';
import { type Ledger, readLedger, startDevnet } from 'firn-devnet';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { project } from '../cli/cliHarness.ts';
import { type Seen, watchServer } from '../cli/watchServer.ts';
import { some } from '../some.ts';

// The table of statuses in docs/failures.md, row by row, for each family of endpoints: whether a request is asked again,
// what becomes of its partition, and the exit code.

interface Row {
  readonly status: number;
  readonly again: boolean;
  readonly exit: number;
}

const documented = readFileSync(resolve(import.meta.dirname, '../../docs/failures.md'), 'utf8');
const rows: Row[] = [
  ...documented.matchAll(/^\| ([45]\d\d) [^|:]*\| (yes|no)\b[^|]*\| [^|]*failed[^|]*\| (\d+) \|$/gm),
].map(([, status, again, exit]) => ({ status: Number(status), again: again === 'yes', exit: Number(exit) }));

/** One request of each family, by which its stream stands or falls. */
const families: Readonly<Record<string, (seen: Seen) => boolean>> = {
  'data/latest_transactions': ({ path }) => /^\/v1\/chains\/\d+\/transactions/.test(path),
  'data/utxos': ({ method, path }) => method === 'POST' && path.includes('/utxos'),
  'metrics/chain_metrics': ({ path }) => path.startsWith('/v2/'),
  'node/platform_supply': ({ body }) => body.includes('platform.getCurrentSupply'),
};
const streamOf = (seen: Seen) => Object.keys(families).find((stream) => families[stream]?.(seen));

let ledger: Ledger;
beforeAll(async () => {
  ledger = await readLedger();
});

type Answer = (response: ServerResponse, seen: Seen, time: number) => boolean;

async function network() {
  const devnet = await startDevnet({ ledger, head: '3%' });
  onTestFinished(() => devnet.close());
  const server = await watchServer(() => devnet.url);
  const { url } = server;
  const chainIds = [String(ledger.c.evmChainId)];
  const list = await fetch(`${devnet.url}/v1/networks/fuji/blockchains/p-chain/transactions`);
  const { transactions } = (await list.json()) as { transactions: { emittedUtxos: { addresses: string[] }[] }[] };
  const addresses = transactions.flatMap(({ emittedUtxos }) => emittedUtxos.flatMap((utxo) => utxo.addresses));
  const streams = {
    'data/latest_transactions': { chainIds },
    'data/utxos': { blockchainIds: ['p-chain'], addresses: addresses.slice(0, 1) },
    'metrics/chain_metrics': { chainIds, metrics: ['txCount'], timeIntervals: ['day'] },
    'node/platform_supply': {},
  };
  const sources = { node: { url }, data: { url, network: 'fuji' }, metrics: { url } };
  const { firn, query, warehouse } = await project({ sources, pipelines: { main: { streams } } });
  /** Runs a sync; tells the outcomes, and how often each family was asked. */
  const sync = async (answer: Answer = () => false) => {
    const asked: Record<string, number> = {};
    server.meddle = (seen, response) => {
      const stream = streamOf(seen);
      if (stream === undefined) return false;
      asked[stream] = (asked[stream] ?? 0) + 1;
      return answer(response, seen, asked[stream]);
    };
    // Pauses that a service asked for in an earlier test do not count.
    await rm(join(warehouse, '.state', 'pauses'), { recursive: true, force: true });
    const { code, json } = await firn('--json', 'sync');
    const partitions = json.partitions as { stream: string; outcome: string; message?: string }[];
    const outcomes = Object.fromEntries(partitions.map(({ stream, outcome }) => [stream, outcome]));
    return { code, outcomes, asked, messages: partitions.flatMap(({ message }) => message ?? []) };
  };
  const count = async () => {
    const tables = ['data_latest_transactions', 'data_utxos', 'metrics_chain_metrics', 'node_platform_supply'];
    const [row] = await query(
      `SELECT ${tables.map((table) => `(SELECT count(*) FROM raw.${table}) AS ${table}`).join(', ')}`,
    );
    return row;
  };
  return { sync, count };
}

const all = (value: unknown) => Object.fromEntries(Object.keys(families).map((stream) => [stream, value]));

/** How a service or a node says a status. */
function refuse(
  response: ServerResponse,
  { path }: Seen,
  status: number,
  headers: Record<string, string> = {},
): boolean {
  const isNode = path.startsWith('/ext/');
  const body =
    isNode || status === 502
      ? `the answer is ${status}`
      : JSON.stringify({ message: [`it is ${status}`], error: 'Error', statusCode: status });
  response.writeHead(status, { 'content-type': isNode ? 'text/plain' : 'application/json', ...headers }).end(body);
  return true;
}

test('the documentation has every status of the specification', () => {
  expect(rows.map(({ status }) => status)).toEqual([400, 401, 403, 404, 429, 500, 502, 503]);
});

test('each status does what the documentation says, for each family', { tags: 'long' }, async () => {
  const { sync, count } = await network();
  expect((await sync()).code).toBe(0);
  for (const { status, again, exit } of some(rows)) {
    if (again) {
      // Once wrong, then right.
      const passing = await sync((response, seen, time) => time === 1 && refuse(response, seen, status));
      expect([status, passing]).toMatchObject([status, { code: 0, outcomes: all('done'), messages: [] }]);
      expect(Object.entries(passing.asked).filter(([, times]) => times < 2)).toEqual([]);
    }
    const before = await count();
    // A wait that is longer than firn waits stands in for giving up after eight times.
    const wait = again ? { 'retry-after': '3600' } : {};
    const staying = await sync((response, seen) => refuse(response, seen, status, wait));
    // A 404 too: a node answers it for what is not switched on, but this was read before.
    expect([status, staying]).toMatchObject([status, { code: exit, outcomes: all('failed') }]);
    expect(staying.messages).toHaveLength(4);
    const told = new RegExp(again ? `answered ${status}|asks for no requests until` : `answered ${status}`);
    expect(staying.messages.filter((message) => !told.test(message))).toEqual([]);
    if (!again) expect([status, staying.asked]).toEqual([status, all(1)]);
    expect(await count()).toEqual(before);
  }
  expect(await sync()).toMatchObject({ code: 0, outcomes: all('done') });
});

test('a JSON-RPC answer with another id is none: it is asked again', { tags: 'long' }, async () => {
  const { sync } = await network();
  const foreign = await sync((response, seen, time) => {
    if (time > 1 || !seen.path.startsWith('/ext/')) return false;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 999_999, result: { supply: '1', height: '1' } }));
    return true;
  });
  expect(foreign).toMatchObject({ code: 0, outcomes: all('done') });
  expect(foreign.asked['node/platform_supply']).toBe(2);
});
