import { expect, test } from 'vitest';
import { assertTold, blockTraces, tracesOf, withoutTraces } from '../../../pipelines/node/evmTraces.ts';
import { RawValue } from '../../../src/core/json/rawValue.ts';

test('a trace that names another transaction is not taken for that of the one in its place', () => {
  const items = [
    { txHash: '0xa', result: { type: 'CALL' } },
    { txHash: '0xc', result: { type: 'CREATE' } },
  ];
  const ofOld = { result: { type: 'STATICCALL' } };
  const { frames, traceStatuses } = tracesOf(
    ['0xa', '0xb', '0xc'],
    { outcome: undefined, items: [...items, ofOld] },
    new Map(),
    { traced: true },
  );
  expect(frames).toMatchObject([
    { txIndex: 0, type: 'CALL' },
    { txIndex: 2, type: 'STATICCALL' },
  ]);
  expect(traceStatuses).toEqual([
    { txIndex: 0, traceStatus: 'traced' },
    { txIndex: 1, traceStatus: 'failed', traceError: 'the node left it out' },
    { txIndex: 2, traceStatus: 'traced' },
  ]);
});

test('null in place of a trace is none, with what the node says beside it', () => {
  const [result] = RawValue.of([JSON.stringify([{ txHash: '0xa', result: null, error: 'no time' }])]);
  expect(tracesOf(['0xa'], blockTraces({ result }), new Map(), { traced: true })).toEqual({
    frames: [],
    traceStatuses: [{ txIndex: 0, traceStatus: 'failed', traceError: 'no time' }],
  });
});

test.each([
  ['the block before', 'block #16 not found', true],
  ['a block whose number begins alike', 'block #160 not found', false],
  ['the block', 'block #17 not found', false],
])('where a node lacks %s (%s), that is its word about the traces: %s', (_, message, isWord) => {
  const told = () => assertTold({ error: { code: -32000, message } }, 17, '/ext/bc/C/rpc');
  if (isWord) expect(told).not.toThrow();
  else expect(told).toThrow('gives no traces of block 17');
});

test('each transaction of a block without traces says so, however many there are', () => {
  for (const transactions of [1, 64, 65, 200])
    expect(withoutTraces(transactions, 'not_offered').traceStatuses).toHaveLength(transactions);
});
