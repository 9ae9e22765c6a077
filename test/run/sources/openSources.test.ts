import { expect, onTestFinished, test } from 'vitest';
import { sources as declared } from '../../../pipelines/index.ts';
import { node } from '../../../pipelines/node/source.ts';
import { FirnError } from '../../../src/core/firnError.ts';
import type { Log } from '../../../src/core/log.ts';
import type { AskedPause } from '../../../src/core/requests/askedPause.ts';
import type { Source } from '../../../src/core/stream/source.ts';
import { type Clock, systemClock } from '../../../src/extract/clock.ts';
import { realOutside } from '../../../src/extract/http/outside.ts';
import type { PauseState } from '../../../src/load/bookkeeping/pauseState.ts';
import type { Warehouse } from '../../../src/load/state/warehouse.ts';
import { type Settings, settingsSchema } from '../../../src/run/settings.ts';
import { openSources } from '../../../src/run/sources/openSources.ts';
import { fakeClock } from '../../extract/fakeClock.ts';
import { json, localServer } from '../../extract/localServer.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';

const retry = { attempts: 2, baseMs: 1, holdMs: 1 };

/** Sources as the configuration has them. */
async function open(
  sources: unknown,
  log?: Log,
  clock: Clock = systemClock,
  warehouse?: Warehouse,
  pauses?: PauseState,
  all: readonly Source[] = declared,
) {
  const { sources: checked } = settingsSchema(all).parse({ sources, pipelines: {} }) as Settings;
  const opened = await openSources({
    settings: { sources: checked },
    sources: all,
    retry,
    log,
    warehouse,
    pauses,
    outside: { ...realOutside, clock },
  });
  onTestFinished(() => opened.close());
  return opened;
}

const rpc = (chain: string) => ({
  kind: 'rpc' as const,
  path: `/ext/bc/${chain}/rpc`,
  call: { method: 'eth_chainId', params: [] },
});
const answering = () =>
  localServer((response, _, { body }) =>
    json(response, 200, { jsonrpc: '2.0', id: JSON.parse(body || '{"id":0}').id, result: '0x1' }),
  );

test("each source sends its own headers, and another origin sees none of the node's", async () => {
  const [node, other, mine] = [await answering(), await answering(), await answering()];
  const data = await localServer((response) => json(response, 200, { chains: [] }));
  const { fetch } = await open({
    node: {
      url: node.url,
      headers: { Authorization: 'Bearer of-the-node' },
      rpc: {
        L1: `${other.url}/rpc`,
        L2: { url: `${mine.url}/rpc`, headers: { 'x-tenant': 'mine' } },
        L3: `${node.url}/behind/rpc`,
      },
    },
    data: { url: data.url, headers: { 'x-tenant': 'data' }, key: 'k-123456789', keyHeader: 'x-my-key' },
  });
  for (const chain of ['C', 'L1', 'L2', 'L3']) expect((await fetch['node']?.(rpc(chain)))?.body).toBe('0x1');
  await fetch['data']?.({ kind: 'get', path: '/v1/chains', weight: 1 });
  expect(node.received.map(({ url, headers }) => [url, headers.authorization])).toEqual([
    ['/ext/bc/C/rpc', 'Bearer of-the-node'],
    ['/behind/rpc', 'Bearer of-the-node'],
  ]);
  expect(other.received.map(({ url, headers }) => [url, headers.authorization])).toEqual([['/rpc', undefined]]);
  expect(mine.received.map(({ headers }) => [headers.authorization, headers['x-tenant']])).toEqual([
    [undefined, 'mine'],
  ]);
  expect(data.received.map(({ headers }) => [headers['x-tenant'], headers['x-my-key']])).toEqual([
    ['data', 'k-123456789'],
  ]);
});

test('the key of a hosted service goes in the header of that service, unless the configuration names another', async () => {
  const server = await localServer((response) => json(response, 200, { chains: [] }));
  const hosted = { origins: [server.url], keyHeader: 'x-hosted-key' };
  const key = 'k-123456789';
  for (const named of [{}, { keyHeader: 'x-my-key' }]) {
    const sources = { prices: { url: `${server.url}/v1`, key, ...named } };
    const all = [{ name: 'prices', description: 'Prices.', numbers: 'lossless' as const, hosted }];
    const { fetch } = await open(sources, undefined, undefined, undefined, undefined, all);
    await fetch['prices']?.({ kind: 'get', path: '/chains', weight: 1 });
  }
  const keys = server.received.map(({ headers }) => [headers['x-hosted-key'], headers['x-my-key']]);
  expect(keys).toEqual([
    [key, undefined],
    [undefined, key],
  ]);
});

test('whether a chain is bootstrapping is asked once for many failures, and again when the node may have restarted', async () => {
  const clock = fakeClock();
  let isBootstrapped = true;
  const server = await localServer((response, _, { url, body }) => {
    if (url !== '/ext/info') return json(response, 404, 'not found');
    return json(response, 200, { jsonrpc: '2.0', id: JSON.parse(body).id, result: { isBootstrapped } });
  });
  const { fetch } = await open({ node: { url: server.url } }, undefined, clock);
  const code = () => fetch['node']?.(rpc('C')).catch((error) => error.code);
  expect([await code(), await code()]).toEqual(['not_offered', 'not_offered']);
  // Several times, since several nodes may be behind the URL.
  expect(server.received.filter(({ url }) => url === '/ext/info')).toHaveLength(4);
  isBootstrapped = false;
  clock.advance(60_000);
  expect(await code()).toBe('unavailable');
});

test('two explanations of one index, of which one began later, do not wait for each other', async () => {
  const clock = fakeClock();
  let isHeld = true;
  const held: (() => void)[] = [];
  const server = await localServer(async (response, _, { url, body }) => {
    const { id } = JSON.parse(body);
    if (url === '/ext/info') return json(response, 200, { jsonrpc: '2.0', id, result: { isBootstrapped: true } });
    if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
    json(response, 404, 'not found');
  });
  const { notReady } = await open({ node: { url: server.url } }, undefined, clock);
  const lacks = new FirnError('not_offered', 'lacks it', { context: { status: 404 } });
  const explain = () => notReady(node, '/ext/index/X/block', lacks);
  const questions = (count: number) => expect.poll(() => held.length).toBe(count);

  const first = explain();
  for (const answered of [1, 2, 3]) {
    await questions(answered);
    held[answered - 1]?.();
  }
  await questions(4);
  // What the first one was told is no longer fresh.
  clock.advance(60_000);
  const second = explain();
  await questions(5);
  isHeld = false;
  held[3]?.();
  expect(await first).toBeUndefined();
  held[4]?.();
  expect(await second).toBeUndefined();
});

test.each([
  [
    'a node that follows the P-Chain alone',
    'C',
    { result: { isBootstrapped: false } },
    /run the chain C\. With --partial-sync/,
  ],
  [
    'a VM that did not start',
    'L1',
    { error: { code: -32000, message: 'no such chain' } },
    /run the chain L1\. .* plugin/,
  ],
])('a chain is not offered, and not waited for, on %s', async (_, chain, said, message) => {
  const server = await localServer((response, _, { url, body }) => {
    if (url.startsWith('/ext/bc/')) return json(response, 404, 'not found');
    const { id, params } = JSON.parse(body);
    const isReady = url === '/ext/health' || params.chain === 'P';
    json(response, 200, {
      jsonrpc: '2.0',
      id,
      ...(isReady ? { result: { healthy: true, isBootstrapped: true } } : said),
    });
  });
  const { fetch } = await open({ node: { url: server.url } });
  await expect(fetch['node']?.(rpc(chain))).rejects.toMatchObject({
    code: 'not_offered',
    message: expect.stringMatching(message),
    // An answer said so: of what was read before it is an outage.
    context: { reason: 'absent', chain },
  });
});

test.each([
  ['follows the P-Chain alone', true, 'not_offered', /does not run the chain C/],
  ['is bootstrapping', false, 'unavailable', /still bootstrapping its chain C/],
])('of a node without the health API that %s, its P-Chain tells', async (_, isReady, code, message) => {
  const server = await localServer((response, _, { url, body }) => {
    if (url !== '/ext/info') return json(response, 404, 'not found');
    const { id, params } = JSON.parse(body);
    json(response, 200, { jsonrpc: '2.0', id, result: { isBootstrapped: isReady && params.chain === 'P' } });
  });
  const { fetch } = await open({ node: { url: server.url } });
  await expect(fetch['node']?.(rpc('C'))).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
});

test('requests to RPC URLs of chains are counted with those of the node', async () => {
  const [node, other] = [await answering(), await answering()];
  const { fetch, stats } = await open({ node: { url: node.url, rpc: { L1: other.url } } });
  for (const chain of ['C', 'L1', 'L1']) await fetch['node']?.(rpc(chain));
  expect(stats()['node']?.requests).toBe(3);
});

test('the compute units of a day are counted across runs, and those of the next one alone', {
  tags: 'long',
}, async () => {
  const server = await localServer((response) => json(response, 200, {}));
  const warehouse = await temporaryWarehouse([]);
  let clock = fakeClock(Date.UTC(2026, 0, 20, 12));
  const run = async (...weights: number[]) => {
    const { fetch, close } = await open(
      { data: { url: server.url, network: 'fuji', quota: { perDay: 100 } } },
      undefined,
      clock,
      warehouse,
    );
    try {
      for (const weight of weights) await fetch['data']?.({ kind: 'get', path: '/v1/chains', weight });
    } finally {
      await close(warehouse);
    }
    return warehouse.query(
      `SELECT "day"::VARCHAR AS "day", units::INTEGER AS units FROM firn.quota WHERE source = 'data' ORDER BY 1`,
    );
  };
  const first = { day: '2026-01-20', units: 90 };
  expect(await run(30, 20)).toEqual([{ ...first, units: 50 }]);
  expect(await run(40)).toEqual([first]);
  await expect(run(20)).rejects.toMatchObject({ code: 'rate_limited', context: { used: 90 } });
  clock.advance(12 * 3_600_000);
  expect(await run(60)).toEqual([first, { day: '2026-01-21', units: 60 }]);
  expect(await run(40)).toEqual([first, { day: '2026-01-21', units: 100 }]);
  // Those of a day that a wrong clock told say nothing of any other.
  clock = fakeClock(Date.UTC(2036, 0, 20));
  await run(10);
  clock = fakeClock(Date.UTC(2026, 0, 21, 12));
  await expect(run(20)).rejects.toMatchObject({ code: 'rate_limited', context: { used: 100 } });
});

test('the compute units of a run that is killed are counted but for the last half minute', async () => {
  const server = await localServer((response) => json(response, 200, {}));
  const warehouse = await temporaryWarehouse([]);
  const clock = fakeClock(Date.UTC(2026, 0, 20, 12));
  const data = { url: server.url, network: 'fuji', quota: { perDay: 100 } };
  const { fetch, close } = await open({ data }, undefined, clock, warehouse);
  const ask = () => fetch['data']?.({ kind: 'get', path: '/v1/chains', weight: 20 });
  const units = async () => (await warehouse.query('SELECT units::INTEGER AS units FROM firn.quota'))[0]?.['units'];
  await ask();
  expect(await units()).toBeUndefined();
  clock.advance(30_000);
  await ask();
  await expect.poll(units).toBe(40);
  await ask();
  await close(warehouse);
  expect(await units()).toBe(60);
});

test('without a node, what only a node has is not offered, and the chains are read', async () => {
  const server = await answering();
  const { fetch, stats } = await open({ node: { rpc: { C: `${server.url}/rpc` } } });
  expect((await fetch['node']?.(rpc('C')))?.body).toBe('0x1');
  expect(stats()['node']?.requests).toBe(1);
  const asked = fetch['node']?.({ kind: 'rpc', path: '/ext/info', call: { method: 'info.getNetworkID', params: {} } });
  await expect(asked).rejects.toMatchObject({
    code: 'not_offered',
    message: expect.stringContaining('sources.node.url'),
  });
});

test.each([
  ['/v1/4f2b9c81d77e4a0f9a3e6b1c/rpc', '4f2b9c81d77e4a0f9a3e6b1c'],
  ['/ext/bc/C/rpc?apikey=4f2b9c81', '4f2b9c81'],
  ['/token/sk_live_9aXb72KqPz01', 'sk_live_9aXb72KqPz01'],
])('a key in the URL %s is in no message, log or error', async (path, key) => {
  const server = await localServer((response) => json(response, 500, { message: `no such tenant: ${key}` }));
  const told: unknown[] = [];
  const tell = (...all: unknown[]) => told.push(all);
  const { fetch } = await open({ node: { rpc: { C: `${server.url}${path}` } } }, { debug: tell, warn: tell });
  const error = await fetch['node']?.(rpc('C')).then(
    () => undefined,
    (failure) => failure,
  );
  expect(error).toMatchObject({ code: 'unavailable', message: expect.stringMatching(/127\.0\.0\.1:\d+\S*\*\*\*/) });
  expect(told).not.toEqual([]);
  expect(server.received[0]?.url).toBe(path);
  expect(JSON.stringify([told, error.message, error.context])).not.toContain(key);
});

test.each([
  ['neither URL nor RPC URL', { node: {} }],
  ['no RPC URL', { node: { rpc: {} } }],
  ['an RPC URL that is none', { node: { rpc: { C: 'C' } } }],
])('a node with %s is refused', (_, sources) => {
  expect(settingsSchema(declared).safeParse({ sources, pipelines: {} }).success).toBe(false);
});

test('all URLs of a source at one origin wait for what one of them was asked for, and so do later runs', async () => {
  const server = await localServer((response, n) =>
    response.writeHead(429, { 'retry-after': n === 1 ? '3600' : '301' }).end(),
  );
  const clock = fakeClock();
  const kept: AskedPause[] = [];
  const pauses: PauseState = { read: async () => kept.at(-1), keep: async (...[, , pause]) => void kept.push(pause) };
  for (const _ of ['this run', 'the next one']) {
    const sources = { node: { url: server.url, rpc: { L1: `${server.url}/l1` } } };
    const { fetch } = await open(sources, undefined, clock, undefined, pauses);
    for (const chain of ['C', 'L1', 'C'])
      await expect(fetch['node']?.(rpc(chain))).rejects.toMatchObject({ code: 'rate_limited' });
    expect(server.received).toHaveLength(1);
    clock.advance(600_000);
  }
  expect(kept.map(({ saidAt, until }) => until - saidAt)).toEqual([3_600_000]);
});
