import { expect, test } from 'vitest';
import { auditFails, heldBackBy, relationNames } from '../../../src/report/health/heldBackText.ts';

test.each([
  [0, false, false],
  [1, false, true],
  [0, true, true],
])('an audit that found %i rows, and could not look: %s, fails: %s', (failedRows, couldNotLook, fails) => {
  expect(auditFails({ failedRows, couldNotLook } as Parameters<typeof auditFails>[0])).toBe(fails);
});

test('relations that one audit holds back are told together, since the first of them was', () => {
  const heldBack = [
    { relation: 'mart.b', audit: 'one', since: 5, reason: 'two rows' },
    { relation: 'mart.a', audit: 'one', since: 3, reason: 'two rows' },
    { relation: 'mart.c', audit: 'other', since: 1, reason: 'a row' },
    { relation: 'mart.d', audit: 'one', since: 4, reason: 'two rows' },
  ];
  expect(heldBackBy({ records: 0, accepted: 0, streams: [], groups: [], heldBack })).toEqual([
    { audit: 'one', since: 3, reason: 'two rows', relations: ['mart.a', 'mart.b', 'mart.d'] },
    { audit: 'other', since: 1, reason: 'a row', relations: ['mart.c'] },
  ]);
});

test.each([
  [['a', 'b', 'c'], 'a, b, c'],
  [['a', 'b', 'c', 'd'], 'a, b, c and 1 more'],
])('%j are named as %s', (relations, text) => {
  expect(relationNames(relations)).toBe(text);
});
