import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FaultRates } from '../src/faults.ts';
import { readLedger } from '../src/readLedger.ts';
import { type Devnet, type DevnetLogEntry, startDevnet } from '../src/startDevnet.ts';
import type { Ledger } from '../src/types.ts';
import { call, post } from './post.ts';

const METRIC = '/v2/chains/43112/metrics/txCount?timeInterval=day&pageSize=3';

let ledger: Ledger;
beforeAll(async () => {
  ledger = await readLedger(join(import.meta.dirname, '../../test/fixtures/node-ledger-signed'));
});

describe('startDevnet', () => {
  test('serves the node and both services at one address, and counts requests', async () => {
    const entries: DevnetLogEntry[] = [];
    const devnet = await startDevnet({ ledger, log: (entry) => entries.push(entry) });
    try {
      expect(devnet.url).toBe(`http://127.0.0.1:${devnet.port}`);
      expect(await call(devnet, '/ext/bc/C/rpc', 'eth_chainId', [])).toBe('0xa868');
      await post(devnet, '/ext/bc/C/rpc', [
        { jsonrpc: '2.0', id: 1, method: 'eth_chainId' },
        { jsonrpc: '2.0', id: 2, method: 'net_version' },
      ]);
      const metric = await fetch(devnet.url + METRIC);
      expect([metric.status, metric.headers.get('node-id')]).toEqual([200, null]);
      const lost = await fetch(`${devnet.url}/nothing`);
      expect([lost.status, await lost.text()]).toEqual([404, '404 page not found\n']);
      expect(devnet.stats()).toEqual({
        requests: { '/ext/bc/C/rpc': 2, '/v2/chains/43112/metrics/txCount': 1, '/nothing': 1 },
        calls: { '/ext/bc/C/rpc eth_chainId': 2, '/ext/bc/C/rpc net_version': 1 },
        faults: {},
      });
      expect(entries.at(-1)).toEqual({ method: 'GET', path: '/nothing', status: 404, fault: null });
    } finally {
      await devnet.close();
    }
    await expect(fetch(devnet.url)).rejects.toThrow();
  });

  test('tells that a port is taken', async () => {
    const devnet = await startDevnet({ ledger });
    const second = startDevnet({ ledger, port: devnet.port });
    await expect(second).rejects.toThrow(
      `port ${devnet.port} of 127.0.0.1 is in use; stop what listens there, or take another port`,
    );
    await devnet.close();
  });

  test.each([
    [{ ledger: '/no/such/folder' }, '/no/such/folder: no such folder'],
    [{ head: 'soon' }, 'head "soon" is neither a share'],
    [{ host: 'not a host' }, 'of not a host cannot be taken'],
  ])('fails with %j in words', async (options, message) => {
    await expect(startDevnet({ ledger, ...options })).rejects.toThrow(message);
  });

  test('moves its head while it runs', async () => {
    const devnet = await startDevnet({ ledger, head: '0%' });
    expect(await call(devnet, '/ext/bc/P', 'platform.getHeight', {})).toEqual({ height: '0' });
    devnet.moveHead('100%');
    expect(await call(devnet, '/ext/bc/P', 'platform.getHeight', {})).toEqual({ height: '54' });
    await devnet.close();
  });

  test('lets the head run with its clock', async () => {
    let now = 0;
    const devnet = await startDevnet({ ledger, head: '0%', speed: 3600, clock: () => now });
    const before = await call(devnet, '/ext/bc/C/rpc', 'eth_blockNumber', []);
    now += (ledger.lastMoment - ledger.firstMoment) / 3600;
    const after = await call(devnet, '/ext/bc/C/rpc', 'eth_blockNumber', []);
    expect([before, after]).toEqual(['0x1', '0x5d']);
    await devnet.close();
  });

  test('moves its head with every request where it takes steps', async () => {
    const devnet = await startDevnet({ ledger, head: '0%', step: '25%' });
    const height = async () => Number(await call(devnet, '/ext/bc/C/rpc', 'eth_blockNumber', []));
    const heights = [await height(), await height(), await height(), await height(), await height()];
    expect(heights).toEqual([...new Set(heights.slice(0, 4)), 0x5d]);
    expect(heights.slice(0, 4)).toEqual(heights.slice(0, 4).sort((a, b) => a - b));
    await devnet.close();
  });

  test('demands the key and counts compute units at the services only', async () => {
    const devnet = await startDevnet({ ledger, quota: { perMinute: 100 }, key: 'k' });
    const ask = (headers: Record<string, string>) => fetch(devnet.url + METRIC, { headers });
    expect((await ask({ 'x-service-api-key': 'wrong' })).status).toBe(401);
    const first = await ask({ 'x-service-api-key': 'k' });
    expect([first.status, first.headers.get('ratelimit-remaining')]).toEqual([200, '0']);
    const second = await ask({ 'x-service-api-key': 'k' });
    expect([second.status, second.headers.get('retry-after')]).toEqual([429, second.headers.get('ratelimit-reset')]);
    for (let at = 0; at < 5; at++) expect(await call(devnet, '/ext/bc/C/rpc', 'eth_chainId', [])).toBe('0xa868');
    await devnet.close();
  });
});

describe('faults', () => {
  let devnet: Devnet;
  beforeAll(async () => {
    devnet = await startDevnet({ ledger });
  });
  afterAll(() => devnet.close());

  const path = '/ext/info';
  const body = { jsonrpc: '2.0', id: 1, method: 'info.getNetworkID', params: {} };
  const withFault = async (rates: FaultRates, id: number): Promise<Response> => {
    devnet.setFaults(rates);
    const headers = { 'content-type': 'application/json' };
    return fetch(devnet.url + path, {
      method: 'POST',
      headers,
      body: JSON.stringify({ ...body, id }),
      signal: AbortSignal.timeout(1000),
    });
  };

  test.each([
    ['500', 500, 'application/json', /^\{"message":"injected fault"/],
    ['502', 502, 'text/html', /502 Bad Gateway/],
    ['503', 503, 'application/json', /^\{"message":"injected fault"/],
    ['html', 200, 'text/html', /^<html>/],
    ['emptyBody', 200, 'application/json', /^$/],
    ['errorBody', 200, 'application/json', /"statusCode":500/],
  ] as const)('%s', async (kind, status, type, text) => {
    const response = await withFault({ [kind]: 1 }, 1);
    expect([response.status, response.headers.get('content-type')]).toEqual([status, type]);
    expect(await response.text()).toMatch(text);
  });

  test('429 tells the wait in each of its four forms', async () => {
    const forms = new Set<string>();
    for (let id = 0; id < 60; id++) {
      const { status, headers } = await withFault({ '429': 1 }, id);
      expect(status).toBe(429);
      const after = headers.get('retry-after');
      forms.add(after === null ? `reset ${headers.get('ratelimit-reset')}` : /GMT$/.test(after) ? 'date' : after);
    }
    expect(forms).toEqual(new Set(['1', 'date', 'reset null', 'reset 1']));
  });

  test('reset breaks the connection before any answer', async () => {
    await expect(withFault({ reset: 1 }, 1)).rejects.toThrow('fetch failed');
  });

  test('truncate ends the connection inside the announced body', async () => {
    const response = await withFault({ truncate: 1 }, 1);
    expect(Number(response.headers.get('content-length'))).toBe(56);
    await expect(response.text()).rejects.toThrow('terminated');
  });

  test('stall never answers, or stops inside the body', { tags: 'long' }, async () => {
    const outcome = (id: number): Promise<string> =>
      withFault({ stall: 1 }, id).then(
        (response) =>
          response.text().then(
            () => 'whole',
            () => 'stopped',
          ),
        () => 'silent',
      );
    const outcomes = new Set(await Promise.all([1, 2, 3, 4, 5, 6].map(outcome)));
    expect(outcomes).toEqual(new Set(['stopped', 'silent']));
  });

  test('reach pages of the services when they are set at run time', async () => {
    const page = async (token = ''): Promise<{ results: unknown[]; nextPageToken: string }> => {
      const response = await fetch(`${devnet.url}${METRIC}${token === '' ? '' : `&pageToken=${token}`}`);
      return (await response.json()) as { results: unknown[]; nextPageToken: string };
    };
    devnet.setFaults({ loop: 1 });
    const looped = await page();
    expect((await page(looped.nextPageToken)).results).toEqual(looped.results);
    devnet.setFaults({});
    const first = await page();
    expect(first.results).toEqual(looped.results);
    expect((await page(first.nextPageToken)).results).not.toEqual(first.results);
  });

  test('close does not wait for what hangs', async () => {
    const hanging = await startDevnet({ ledger, faults: { stall: 1 } });
    const request = fetch(hanging.url).catch(() => 'broken');
    await expect.poll(() => hanging.stats().faults, { timeout: 60_000 }).toEqual({ stall: 1 });
    await hanging.close();
    await request;
  });
});
