import { describe, expect, test } from 'vitest';
import { FirnError } from '../../../src/core/firnError.ts';
import { type RpcAnswer, readAnswer, readBatch } from '../../../src/extract/answers/rpcAnswer.ts';

const result = (id: unknown, value: unknown) => ({ jsonrpc: '2.0', result: value, id });
const error = (id: unknown, code: unknown, message: unknown) => ({ jsonrpc: '2.0', error: { code, message }, id });

test.each<[unknown, unknown]>([
  [result(1, 'x'), { id: '1', outcome: { result: 'x' } }],
  [result('1', null), { id: '1', outcome: { result: null } }],
  [result(undefined, 0), { id: null, outcome: { result: 0 } }],
  [error(1, -32000, 'no'), { id: '1', outcome: { error: { code: -32000, message: 'no' } } }],
  [error(null, '-32700', undefined), { id: null, outcome: { error: { code: -32700, message: '' } } }],
  [
    { id: 1, result: 'x', error: null },
    { id: '1', outcome: { result: 'x' } },
  ],
  [{ id: 1 }, undefined],
  [{ id: 1, error: 'no' }, undefined],
  [[], undefined],
  [null, undefined],
  ['x', undefined],
])('%j is read as %j', (body, answer) => {
  expect(readAnswer(body)).toEqual(answer);
});

test('of an error with a message of megabytes the beginning is read', () => {
  const { outcome } = readAnswer(error(4, -32000, 'method '.repeat(200_000))) as RpcAnswer;
  expect(outcome.error?.message.length).toBeLessThan(10_000);
});

describe('a batch', () => {
  test('is matched by id', () => {
    const outcomes = readBatch('POST x', [4, 5], [error('5', -1, 'no'), result(4, 'x')]);
    expect(outcomes).toEqual(
      new Map([
        ['4', { result: 'x' }],
        ['5', { error: { code: -1, message: 'no' } }],
      ]),
    );
  });

  test.each([
    ['a missing answer', [result(4, 1)], 'holds 1 answers to 2 calls'],
    ['two answers to one call', [result(4, 1), result(4, 1)], 'holds two answers with the id 4'],
    [
      'an answer to another call',
      [result(4, 1), result(9, 1)],
      'holds an answer with the id 9, which was not asked for',
    ],
    ['an answer to no call', [result(4, 1), result(null, 1)], 'holds an answer with the id null'],
    ['something else in the list', [result(4, 1), 'x'], 'holds something that is not an answer'],
    ['no list', { results: [] }, 'is not a list of answers'],
    ['nothing in the list', [], 'holds 0 answers to 2 calls'],
  ])('with %s breaks the contract', (_, body, sentence) => {
    const answer = readBatch('POST x', [4, 5], body);
    expect(answer).toBeInstanceOf(FirnError);
    expect(answer).toMatchObject({ code: 'contract', retryable: true });
    expect((answer as FirnError).message).toContain(`POST x: the answer ${sentence}`);
  });

  test.each([
    ['a list of one error about size', [error(4, -32600, 'batch too large')], 'too large'],
    ['an error about size', error(null, -32000, 'batch too large'), 'too large'],
    ['a list of one error about no call', [error(null, -32600, 'batch requests are not supported')], 'no batches'],
    ['an error about a method', error(null, -32052, 'debug_x is not available on your plan'), 'no method'],
    ['another error', error(null, -32700, 'json: cannot unmarshal array'), 'no batches'],
  ])('that is refused as a whole by %s', (_, body, answer) => {
    expect(readBatch('POST x', [4, 5], body)).toBe(answer);
  });

  test('answered with one error that may pass is asked again', () => {
    expect(readBatch('POST x', [4, 5], error(null, -32005, 'rate limit'))).toMatchObject({
      code: 'rate_limited',
      retryable: true,
    });
  });
});
