import { expect, test } from 'vitest';
import { tracesOf } from '../../../pipelines/node/evmTraces.ts';

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
