import { expect, test } from 'vitest';
import { chainSteps, type Group, joinSpans, type Span, spanSql } from '../../../src/publish/files/steps.ts';

const day = (slice: string, rows: number, chain = '1'): Group => ({
  chain,
  slice,
  rows: BigInt(rows),
  first: slice,
  last: slice,
});
const file = (from: string, until: string): Span => ({ chain: '1', from, until, groups: [day(from, 9)] });
const shown = (steps: readonly Span[][]) => steps.flat().map(({ chain, from, until }) => `${chain} ${from} ${until}`);

test('a month with many rows is cut by day, the newest with fewer', () => {
  const groups = [day('2026-01-01', 30), day('2026-01-02', 30), day('2026-02-01', 30), day('2026-02-02', 30)];
  const steps = (most: number, growing: number) => shown(chainSteps(groups, 'time', { most, growing }));
  expect(steps(100, 100)).toEqual(['1 2026-01-01 2026-02-01', '1 2026-02-01 2026-03-01']);
  expect(steps(100, 50)).toEqual(['1 2026-01-01 2026-02-01', '1 2026-02-01 2026-02-02', '1 2026-02-02 2026-02-03']);
  expect(steps(50, 100)).toHaveLength(4);
});

test('rows without time go with the first that have one', () => {
  const without = { ...day('', 3), slice: null, first: null, last: null };
  const cuts = { most: 100, growing: 100 };
  const [steps = []] = chainSteps([without, day('2026-01-01', 1), day('2026-02-01', 1)], 'time', cuts);
  expect(shown([steps])).toEqual(['1 2026-01-01 2026-02-01', '1 2026-02-01 2026-03-01']);
  expect(steps[0]?.groups).toContain(without);
  expect(shown(chainSteps([without], 'time', cuts))).toEqual(['1 null null']);
});

test.each([true, false])('a file that stays takes rows without time where it is the first: %s', (takesMissing) => {
  const column = { name: 'at', type: 'TIMESTAMP', comment: null };
  const table = { schema: 'raw', name: 't', comment: null, columns: [column], isEmpty: false, viewSql: undefined };
  const layout = { sort: [], by: { column: 'at', kind: 'time' as const } };
  const sql = spanSql(table, layout, { ...file('2026-01-01', '2026-02-01'), takesMissing });
  expect(sql.includes('IS NOT TRUE')).toBe(takesMissing);
});

test('files that stay lie beside what was looked at; what they divide stays divided, what one of them holds stays in it for longer', () => {
  const cuts = { most: 100, growing: 5 };
  const kept = [file('2026-01-01', '2026-01-20')];
  const later = [day('2026-01-20', 1), day('2026-01-21', 1)];
  expect(shown(chainSteps(later, 'time', cuts, { before: kept, kept }))).toEqual([
    '1 2026-01-01 2026-01-20',
    '1 2026-01-20 2026-01-21',
    '1 2026-01-21 2026-01-22',
  ]);
  const [first] = chainSteps(later, 'time', cuts, { before: kept, kept }).flat();
  expect(first?.takesMissing).toBe(true);
  const [, second] = chainSteps([day('2025-12-01', 1)], 'time', cuts, { before: kept, kept }).flat();
  expect(second?.takesMissing).toBeUndefined();
  const before = [file('2026-01-01', '2026-02-01')];
  const grown = (rows: number) =>
    shown(chainSteps([day('2026-01-01', rows), day('2026-01-02', 1)], 'time', cuts, { before, kept: [] }));
  expect(grown(8)).toEqual(['1 2026-01-01 2026-02-01']);
  expect(grown(10)).toHaveLength(2);
  expect(shown(chainSteps([day('2026-03-01', 3)], 'time', cuts, { before, kept: before }))).toEqual([
    '1 2026-01-01 2026-02-01',
    '1 2026-03-01 2026-04-01',
  ]);
});

test.each([
  ['that touch', ['1 10 20', '1 20 30'], ['1 10 30']],
  [
    'that overlap or lie in another, in any order',
    ['1 5 15', '1 100 200', '1 10 20', '1 120 130'],
    ['1 5 20', '1 100 200'],
  ],
  ['of several chains', ['2 10 20', '1 10 20', '2 9 10'], ['1 10 20', '2 9 20']],
])('spans %s', (_, spans, expected) => {
  const parsed = spans.map((text) => {
    const [chain = '', from = '', until = ''] = text.split(' ');
    return { chain, from, until };
  });
  expect(joinSpans(parsed).map(({ chain, from, until }) => `${chain} ${from} ${until}`)).toEqual(expected);
});
