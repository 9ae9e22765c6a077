import { beforeEach, describe, expect, test } from 'vitest';
import type { ServiceOptions } from '../../src/services/serviceOptions.ts';
import { type Harness, harness, packedLedger } from './servicesHarness.ts';

const day = 86_400;
let services: Harness;

const start = async (options?: ServiceOptions): Promise<Harness> => harness(await packedLedger(), options);
const values = (of: Harness, url: string): Map<number, unknown> =>
  new Map(of.all(url, 'results').map(({ timestamp, value }) => [timestamp, value]));

beforeEach(async () => {
  services = await start();
});

describe('requests that are refused', () => {
  test.each([
    ['/v2/chains/43112/metrics/txCount?pageSize=0', 'pageSize must not be less than 1'],
    ['/v2/chains/43112/metrics/txCount?pageSize=2161', 'pageSize must not be greater than 2160'],
    ['/v2/chains/43112/metrics/txCount?pageSize=ten', 'pageSize must be an integer number'],
    ['/v2/chains/43112/metrics/txCount?startTimestamp=-1', 'startTimestamp must not be less than 0'],
    [
      '/v2/chains/43112/metrics/txCount?timeInterval=year',
      'timeInterval must be one of the following values: hour, day, week, month',
    ],
    ['/v2/chains/43112/metrics/avgGps?timeInterval=hour', 'timeInterval must be one of the following values: day'],
    ['/v2/chains/43112/metrics/txCount?sortOrder=asc', 'property sortOrder should not exist'],
    ['/v2/chains/43112/metrics/txCount?pageToken=nonsense', 'pageToken is invalid or has expired'],
  ])('%s', (url, message) => {
    const { status, json } = services.get(url);
    expect(status).toBe(400);
    expect(json).toMatchObject({ statusCode: 400, error: 'Bad Request' });
    expect(json.message).toContain(message);
  });

  test('names every broken rule at once', () => {
    expect(services.get('/v2/chains/43112/metrics/txCount?pageSize=0&timeInterval=x').json.message).toHaveLength(2);
  });

  test('an unknown chain or path is a 404, an unknown metric a 400', () => {
    expect(services.get('/v2/chains/1/metrics/txCount').status).toBe(404);
    expect(services.get('/v2/nothing').json).toMatchObject({ message: 'Cannot GET /v2/nothing', statusCode: 404 });
    expect(services.get('/v2/chains/43112/metrics/happiness').status).toBe(400);
  });
});

describe('pages', () => {
  test('has 100 rows unless asked otherwise, newest first, and hours where no interval is asked for', () => {
    const { json } = services.get('/v2/chains/43112/metrics/txCount');
    expect(json.results).toHaveLength(100);
    expect(json.nextPageToken).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(json.results[0].timestamp % day).toBeGreaterThan(0);
  });

  test('gives the same rows whatever the page size, and no token at the end', () => {
    const url = '/v2/chains/99001/metrics/gasUsed?timeInterval=day';
    expect(services.all(`${url}&pageSize=7`, 'results')).toEqual(services.get(`${url}&pageSize=2160`).json.results);
    expect(services.get(`${url}&pageSize=2160`).json).not.toHaveProperty('nextPageToken');
  });

  test('does not shift pages when the head moves between them', () => {
    services.head = services.ledger.firstMoment + 40 * day * 1000;
    const url = '/v2/chains/43112/metrics/cumulativeTxCount?pageSize=10';
    const whole = services.all(url, 'results');
    const first = services.get(url).json;
    services.head = services.ledger.lastMoment;
    expect(services.get(`${url}&pageToken=${first.nextPageToken}`).json.results).toEqual(whole.slice(10, 20));
  });

  test('refuses a token with other parameters, and after 24 hours', async () => {
    let now = 0;
    services = await start({ clock: () => now });
    const url = '/v2/chains/43112/metrics/txCount?timeInterval=day&pageSize=10';
    const token = services.get(url).json.nextPageToken;
    expect(services.get(`${url.replace('10', '11')}&pageToken=${token}`).status).toBe(400);
    now = 24 * 3_600_000 - 1;
    expect(services.get(`${url}&pageToken=${token}`).status).toBe(200);
    now += 1;
    expect(services.get(`${url}&pageToken=${token}`).status).toBe(400);
  });
});

describe('ranges', () => {
  const from = 1_769_904_000;
  const url = `/v2/chains/43112/metrics/txCount?timeInterval=day&startTimestamp=${from}&endTimestamp=${from + 3 * day}`;

  test('keeps the start and leaves out the end', () => {
    expect([...values(services, url).keys()]).toEqual([from + 2 * day, from + day, from]);
  });

  test('can be told otherwise at either end', async () => {
    services = await start({ startInclusive: false, endInclusive: true });
    expect([...values(services, url).keys()]).toEqual([from + 3 * day, from + 2 * day, from + day]);
  });

  test('drops the bucket a start lies within', () => {
    expect(values(services, url.replace(String(from), String(from + 1))).has(from)).toBe(false);
  });
});

describe('the head', () => {
  test('leaves the open bucket partial and hides what lies ahead', () => {
    services.head = Date.parse('2026-02-10T12:00:00Z');
    const half = values(services, '/v2/chains/43112/metrics/txCount?timeInterval=day');
    const hours = values(services, '/v2/chains/43112/metrics/txCount?timeInterval=hour&pageSize=2160');
    services.head = services.ledger.lastMoment;
    const full = values(services, '/v2/chains/43112/metrics/txCount?timeInterval=day');
    const today = Date.parse('2026-02-10T00:00:00Z') / 1000;
    const before = [...hours].filter(([at]) => at >= today).reduce((sum, [, value]) => sum + Number(value), 0);
    expect(half.get(today)).toBe(before);
    expect(half.get(today)).toBeLessThan(Number(full.get(today)));
    expect(Math.max(...half.keys())).toBe(today);
    expect(half.get(today - day)).toBe(full.get(today - day));
  });

  test('serves complete months only, stamped at their start, and weeks from Monday', () => {
    const months = values(services, '/v2/chains/43112/metrics/txCount?timeInterval=month');
    expect([...months.keys()].map((at) => new Date(at * 1000).toISOString())).toEqual([
      '2026-03-01T00:00:00.000Z',
      '2026-02-01T00:00:00.000Z',
      '2026-01-01T00:00:00.000Z',
    ]);
    services.head = Date.parse('2026-01-31T23:59:59Z');
    expect(services.get('/v2/chains/43112/metrics/txCount?timeInterval=month').json.results).toEqual([]);
    const weeks = values(services, '/v2/chains/43112/metrics/txCount?timeInterval=week');
    expect([...weeks.keys()].map((at) => new Date(at * 1000).getUTCDay())).toEqual([1, 1]);
  });

  test('does not know a chain before its genesis', () => {
    services.head = Date.parse('2026-01-25T00:00:00Z');
    expect(services.get('/v2/chains/99001/metrics/txCount').status).toBe(404);
    expect(services.get('/v2/chains').json.chains).toHaveLength(1);
  });
});

describe('aggregates', () => {
  const sumOf = (metric: string, id: string): Map<number, unknown> =>
    values(services, `/v2/chains/${id}/metrics/${metric}?timeInterval=day`);

  test('total and testnet are the ledger, mainnet is empty', () => {
    expect(sumOf('txCount', 'total')).toEqual(sumOf('txCount', 'testnet'));
    expect(services.get('/v2/chains/mainnet/metrics/txCount').json).toEqual({ results: [] });
  });

  test('adds counts and takes distinct addresses over all chains', () => {
    const [c, l1, total] = [sumOf('txCount', '43112'), sumOf('txCount', '99001'), sumOf('txCount', 'total')];
    for (const [at, value] of total) expect(value).toBe(Number(c.get(at) ?? 0) + Number(l1.get(at) ?? 0));
    const [own, union] = [sumOf('cumulativeAddresses', '43112'), sumOf('cumulativeAddresses', 'total')];
    const last = Math.max(...union.keys());
    const other = Number(sumOf('cumulativeAddresses', '99001').get(last));
    expect(union.get(last)).toBeGreaterThan(Number(own.get(last)));
    expect(union.get(last)).toBeLessThan(Number(own.get(last)) + other);
  });
});

test('lists its chains with numeric chain ids, by either id', () => {
  const { chains } = services.get('/v2/chains?network=fuji').json;
  expect(chains[0]).toMatchObject({ evmChainId: 43112, chainName: 'C-Chain', network: 'testnet' });
  expect(services.get(`/v2/chains/${chains[1].blockchainId}`).json).toEqual(chains[1]);
  expect(services.get('/v2/chains?network=mainnet').json).toEqual({ chains: [] });
  expect(values(services, `/v2/chains/${chains[1].blockchainId}/metrics/txCount`)).toEqual(
    values(services, '/v2/chains/99001/metrics/txCount'),
  );
});
