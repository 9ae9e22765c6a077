import { describe, expect, test } from 'vitest';
import { computeUnits, createQuota, type QuotaOptions } from '../src/quota.ts';
import type { ServiceRequest } from '../src/types.ts';

const METRIC = '/v2/chains/43112/metrics/txCount';

function request(path: string, headers: Record<string, string> = {}): ServiceRequest {
  return { method: 'GET', path, query: new URLSearchParams(), headers, body: '' };
}

function quotaAt(options: QuotaOptions) {
  const clock = { now: 1_000_000 };
  return { clock, ask: createQuota(options, () => clock.now) };
}

describe('computeUnits', () => {
  test.each([
    ['/v1/chains', 1],
    ['/v1/chains/43112', 20],
    ['/v1/chains/43112/addresses/0xab/transactions', 20],
    ['/v1/operations/1', 10],
    ['/v1/networks/fuji/blockchains/p-chain/transactions', 100],
    ['/v1/networks/fuji/blockchains/p-chain/transactions/abc', 20],
    ['/v1/networks/fuji/blockchains/p-chain/transactions:listStaking', 100],
    ['/v1/networks/fuji/blockchains/x-chain/utxos', 100],
    ['/v1/networks/fuji/rewards:listPending', 100],
    ['/v1/networks/fuji/validators', 20],
    [METRIC, 100],
  ])('%s costs %d', (path, units) => expect(computeUnits(path)).toBe(units));
});

describe('createQuota', () => {
  test('tells what is left, refuses above the limit, and starts again with the next minute', () => {
    const { clock, ask } = quotaAt({ perMinute: 250 });
    expect(ask(request(METRIC)).headers).toEqual({
      'ratelimit-policy': '250;w=60',
      'ratelimit-limit': '250',
      'ratelimit-remaining': '150',
    });
    clock.now += 20_500;
    expect(ask(request(METRIC)).refusal).toBeNull();
    const refused = ask(request(METRIC));
    expect(refused.refusal?.status).toBe(429);
    expect(refused.headers).toEqual({
      'ratelimit-policy': '250;w=60',
      'ratelimit-limit': '250',
      'ratelimit-remaining': '50',
      'ratelimit-reset': '40',
      'retry-after': '40',
    });
    clock.now += 39_500;
    expect(ask(request(METRIC)).headers['ratelimit-remaining']).toBe('150');
  });

  test('refuses until the next day when the day is used up', () => {
    const { clock, ask } = quotaAt({ perMinute: 100, perDay: 200 });
    ask(request(METRIC));
    clock.now += 60_000;
    ask(request(METRIC));
    clock.now += 60_000;
    const { refusal, headers } = ask(request(METRIC));
    expect([refusal?.status, headers['ratelimit-policy'], headers['retry-after']]).toEqual([
      429,
      '200;w=86400',
      '86280',
    ]);
  });

  test('counts each service and each key on its own', () => {
    const { ask } = quotaAt({ perMinute: 100 });
    expect(ask(request(METRIC)).refusal).toBeNull();
    expect(ask(request('/v1/networks/fuji/rewards')).refusal).toBeNull();
    expect(ask(request(METRIC, { 'x-glacier-api-key': 'other' })).refusal).toBeNull();
    expect(ask(request(METRIC)).refusal?.status).toBe(429);
  });

  test('serves a request that costs more than a whole window, once', () => {
    const { ask } = quotaAt({ perMinute: 50 });
    expect(ask(request(METRIC)).refusal).toBeNull();
    expect(ask(request('/v2/chains')).refusal?.status).toBe(429);
  });

  test.each([
    ['/v1/chains', {}, 401],
    ['/v1/chains', { 'x-service-api-key': 'wrong' }, 401],
    ['/v1/chains', { 'x-service-api-key': 'right' }, null],
    ['/v1/chains', { 'x-glacier-api-key': 'right' }, null],
    [METRIC, {}, null],
    [METRIC, { 'x-service-api-key': 'wrong' }, 401],
  ])('%s with %j is refused with %s when a key is set', (path, headers, status) => {
    const { ask } = quotaAt({ key: 'right' });
    const { refusal } = ask(request(path, headers));
    expect(refusal?.status ?? null).toBe(status);
    if (refusal !== null)
      expect(JSON.parse(String(refusal.body))).toMatchObject({ statusCode: 401, error: 'Unauthorized' });
  });

  test('without limits sends no headers', () => {
    expect(quotaAt({}).ask(request(METRIC))).toEqual({ refusal: null, headers: {} });
  });
});
