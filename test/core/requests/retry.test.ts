import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FirnError } from '../../../src/core/firnError.ts';
import {
  createRetryBudget,
  decideRetry,
  defaultRetryPolicy as policy,
  statusMeaning,
  transportMeaning,
} from '../../../src/core/requests/retry.ts';

test.each([
  [301, 'refused', false],
  [308, 'refused', false],
  [400, 'refused', false],
  [401, 'unauthorized', false],
  [402, 'unauthorized', false],
  [403, 'unauthorized', false],
  [404, 'not_found', false],
  [405, 'refused', false],
  [408, 'unavailable', true],
  [409, 'rate_limited', true],
  [413, 'refused', false],
  [415, 'refused', false],
  [418, 'refused', false],
  [425, 'unavailable', true],
  [429, 'rate_limited', true],
  [500, 'unavailable', true],
  [501, 'not_offered', false],
  [502, 'unavailable', true],
  [503, 'unavailable', true],
  [504, 'unavailable', true],
  [520, 'unavailable', true],
] as const)('status %i means %s, retryable: %s', (status, code, retryable) => {
  expect(statusMeaning(status)).toMatchObject({ code, retryable });
  expect(statusMeaning(status).next).not.toBe('');
});

test.each([
  ['ECONNREFUSED', 'unreachable', true, false],
  ['ENOTFOUND', 'unreachable', true, false],
  ['EAI_FAIL', 'unreachable', true, false],
  ['ENETDOWN', 'unreachable', true, false],
  ['UND_ERR_CONNECT_TIMEOUT', 'unreachable', true, false],
  ['UND_ERR_HEADERS_TIMEOUT', 'timeout', true, true],
  ['UND_ERR_BODY_TIMEOUT', 'timeout', true, true],
  ['ECONNRESET', 'reset', true, true],
  ['UND_ERR_SOCKET', 'reset', true, true],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'truncated', true, true],
  ['HPE_INVALID_EOF_STATE', 'truncated', true, true],
  ['Z_BUF_ERROR', 'truncated', true, true],
  ['CERT_HAS_EXPIRED', 'certificate', false, false],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate', false, false],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate', false, false],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate', false, false],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'handshake', false, false],
  ['ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL', 'http2', false, false],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'plain', false, false],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'plain', false, false],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'handshake', false, false],
] as const)('%s means %s, retryable: %s, acted: %s', (code, reason, retryable, acted) => {
  expect(transportMeaning(code)).toMatchObject({ reason, retryable, acted });
});

test('an error of the program is no failure of the exchange', () => {
  expect(transportMeaning('ERR_INVALID_ARG_TYPE')).toBeUndefined();
  expect(transportMeaning('UND_ERR_INVALID_ARG')).toBeUndefined();
});

describe('decideRetry', () => {
  const budget = { earn: () => {}, spend: () => true };
  const error = (context: Record<string, unknown> = {}, retryable = true) =>
    new FirnError('unavailable', 'x', { retryable, context });
  const options = { policy, budget, idempotent: true };

  test('waits anything up to the doubling limit', () => {
    expect(decideRetry(error(), 1, 0, options)).toEqual({ waitMs: 0 });
    expect(decideRetry(error(), 1, 0.5, options)).toEqual({ waitMs: policy.baseMs / 2 });
    expect(decideRetry(error(), 3, 0.5, options)).toEqual({ waitMs: policy.baseMs * 2 });
  });

  test.each([
    ['an error that stays', error({}, false), 1, {}, 'final'],
    ['the last attempt', error(), policy.attempts, {}, 'attempts'],
    ['a longer wait than wanted', error({ retryAfterMs: policy.maxWaitMs + 1 }), 1, {}, 'wait'],
    ['an empty budget', error(), 1, { budget: { ...budget, spend: () => false } }, 'budget'],
    ['a request that may have been carried out', error({ acted: true }), 1, { idempotent: false }, 'acted'],
    ['a request of which nothing is known', error(), 1, { idempotent: false }, 'acted'],
  ] as const)('stops at %s', (_, failure, attempt, changed, stop) => {
    expect(decideRetry(failure, attempt, 0.5, { ...options, ...changed })).toEqual({ stop });
  });

  test('sends a request again that was surely not carried out, even where twice would be wrong', () => {
    expect(decideRetry(error({ acted: false }), 1, 0, { ...options, idempotent: false })).toEqual({ waitMs: 0 });
  });

  test("does not charge the budget for the server's own waits", () => {
    const empty = { ...budget, spend: () => false };
    expect(decideRetry(error({ retryAfterMs: 7_000 }), 1, 0, { ...options, budget: empty })).toEqual({ waitMs: 7_000 });
  });

  test('never waits less than the server asks, nor more than that and the limit', () => {
    const arbitrary = fc.tuple(
      fc.integer({ min: 1, max: policy.attempts - 1 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.option(fc.integer({ min: 0, max: policy.maxWaitMs }), { nil: undefined }),
    );
    fc.assert(
      fc.property(arbitrary, ([attempt, random, retryAfterMs]) => {
        const decision = decideRetry(error({ retryAfterMs }), attempt, random, options);
        const floor = retryAfterMs ?? 0;
        if (!('waitMs' in decision)) throw new Error('stopped');
        expect(decision.waitMs).toBeGreaterThanOrEqual(floor);
        expect(decision.waitMs).toBeLessThanOrEqual(floor + policy.capMs);
      }),
    );
  });

  test('backoff is capped', () => {
    const patient = { policy: { ...policy, attempts: 61 }, idempotent: true };
    expect(decideRetry(error(), 60, 1, patient)).toEqual({ waitMs: policy.capMs });
  });
});

test('the budget runs dry, and successes fill it again', () => {
  const budget = createRetryBudget(2, 0.5);
  expect([budget.spend(), budget.spend(), budget.spend()]).toEqual([true, true, false]);
  budget.earn();
  expect(budget.spend()).toBe(false);
  budget.earn();
  expect(budget.spend()).toBe(true);
  for (let i = 0; i < 100; i += 1) budget.earn();
  expect([budget.spend(), budget.spend(), budget.spend()]).toEqual([true, true, false]);
});
