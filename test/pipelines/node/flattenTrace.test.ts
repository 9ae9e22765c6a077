import { expect, test } from 'vitest';
import { flattenRawTrace, flattenTrace } from '../../../pipelines/node/flattenTrace.ts';
import { RawValue } from '../../../src/core/json/rawValue.ts';

const tree = {
  type: 'CALL',
  error: '',
  calls: [
    { type: 'CREATE', error: 'out of gas', calls: [{ type: 'STATICCALL', calls: [{ type: 'DELEGATECALL' }] }] },
    { type: 'CALLCODE', error: null },
  ],
};

test.each([
  ['parsed', () => flattenTrace(7, tree)],
  ['unparsed', () => flattenRawTrace(7, RawValue.from(tree))],
])('lists the frames of a tree that came %s in preorder; what an ancestor reverted is reverted', (_, flatten) => {
  const frames = flatten().map((frame) => (frame instanceof RawValue ? frame.parse() : frame)) as unknown as Record<
    string,
    unknown
  >[];
  const told = ['txIndex', 'type', 'frame', 'parentFrame', 'depth', 'reverted'];
  expect(frames.map((frame) => told.map((name) => frame[name]))).toEqual([
    [7, 'CALL', 0, null, 0, false],
    [7, 'CREATE', 1, 0, 1, true],
    [7, 'STATICCALL', 2, 1, 2, true],
    [7, 'DELEGATECALL', 3, 2, 3, true],
    [7, 'CALLCODE', 4, 0, 1, false],
  ]);
  expect(frames.map(({ error }) => error ?? null)).toEqual([null, 'out of gas', null, null, null]);
});

test('calls that are no list stay what they are', () => {
  expect(flattenTrace(7, { type: 'CALL', calls: 'none' })).toMatchObject([{ type: 'CALL', calls: 'none' }]);
});
