import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldSteps, keyOf } from '../../../src/publish/files/foldSteps.ts';
import type { Span } from '../../../src/publish/files/steps.ts';

/** Steps of one chain, named by their places, with rows of one byte each. */
const stepsOf = (rows: readonly number[]): Span[] =>
  rows.map((count, i) => ({
    chain: '43114',
    from: String(i),
    until: String(i + 1),
    groups: [{ chain: '43114', slice: String(i), rows: BigInt(count), first: null, last: null }],
  }));

const sizes = { bytesPerRow: 1, fileBytes: 64 };
const bounds = (spans: readonly Span[]) => spans.map(({ from, until }) => `${from}-${until}`);
const written = (spans: readonly Span[], bytesPerRow = 1) =>
  spans.map((span) => ({
    unit: keyOf(span),
    bytes: span.groups.reduce((sum, { rows }) => sum + Number(rows), 0) * bytesPerRow,
  }));

test.each<[string, number[], [string, number][], string[]]>([
  ['small steps fill a file, and the last one stays open', [30, 30, 30, 70, 5], [], ['0-3', '3-4', '4-5']],
  ['a file that is large enough is closed', [30, 30, 30], [['0-2', 40]], ['0-2', '2-3']],
  ['the last file takes in what follows while it is small', [10, 10, 10], [['0-2', 20]], ['0-3']],
  [
    'what was put together stays so, if it is not far too small',
    [3, 50],
    [
      ['0-1', 3],
      ['1-2', 50],
    ],
    ['0-1', '1-2'],
  ],
  [
    'a file that lost nearly all of its rows goes with the next',
    [1, 50],
    [
      ['0-1', 1],
      ['1-2', 50],
    ],
    ['0-2'],
  ],
  ['a file whose end is no bound any more is cut anew', [70, 70], [['0-9', 500]], ['0-1', '1-2']],
])('%s', (_, rows, files, expected) => {
  const before = files.map(([span, bytes]) => ({ unit: JSON.stringify(['43114', ...span.split('-')]), bytes }));
  expect(bounds(foldSteps(stepsOf(rows), { ...sizes, before }))).toEqual(expected);
});

const counts = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 40 });

test('whatever the sizes, every step is in one file, and what was estimated wrong is not written again without news', () => {
  fc.assert(
    fc.property(counts, fc.double({ min: 0.2, max: 5, noNaN: true }), (rows, error) => {
      const steps = stepsOf(rows);
      const first = foldSteps(steps, { ...sizes, bytesPerRow: error, before: [] });
      expect(first.flatMap(({ groups }) => groups)).toEqual(steps.flatMap(({ groups }) => groups));
      const whole = first.every((span) => (written([span])[0]?.bytes ?? 0) >= 2);
      const again = foldSteps(steps, { ...sizes, before: written(first) });
      if (whole) expect(bounds(again)).toEqual(bounds(first));
    }),
  );
});

test('as months are added one by one, no file but the last is small, and closed files stay', () => {
  fc.assert(
    fc.property(counts, (rows) => {
      let spans: Span[] = [];
      for (let months = 1; months <= rows.length; months++) {
        const next = foldSteps(stepsOf(rows.slice(0, months)), { ...sizes, before: written(spans) });
        const closed = written(spans).filter(({ bytes }, i) => bytes >= 32 && i < spans.length - 1);
        expect(next.map(keyOf)).toEqual(expect.arrayContaining(closed.map(({ unit }) => unit)));
        spans = next;
        expect(
          written(spans)
            .slice(0, -1)
            .every(({ bytes }) => bytes >= 32),
        ).toBe(true);
      }
    }),
  );
});
