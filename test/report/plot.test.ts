import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { calendarSvg } from '../../src/report/plot/calendarSvg.ts';
import { plotSvg } from '../../src/report/plot/plotSvg.ts';
import { thinPoints } from '../../src/report/plot/thinPoints.ts';
import { ticks } from '../../src/report/plot/ticks.ts';
import type { CoverageDay, Point } from '../../src/report/reportData.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 20);

const point = (index: number, own: number | null, served = own, verdict: string | null = 'equal'): Point => ({
  bucket: start + index * dayMs,
  own,
  ownText: own === null ? null : String(own),
  served,
  servedText: served === null ? null : String(served),
  verdict,
  covered: own !== null,
});

const draw = (points: readonly Point[], scale = 1) =>
  plotSvg({ points, scale, bucketSpan: dayMs, fromZero: true, label: 'a "label"' }).markup;

const value = fc.oneof(fc.constant(null), fc.double({ noNaN: true, noDefaultInfinity: true, min: 0, max: 1e30 }));
const series = fc
  .array(
    fc.tuple(
      value,
      value,
      fc.constantFrom('equal', 'differs', 'served_provisional', 'own_incomplete', 'something_new'),
    ),
    { maxLength: 600 },
  )
  .map((rows) => rows.map(([own, served, verdict], index) => point(index, own, served, verdict)));

describe('ticks', () => {
  test.each([
    [0, 300, 5, [0, 100, 200, 300]],
    [0, 1, 5, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [316, 94_000, 5, [20_000, 40_000, 60_000, 80_000]],
    [5, 5, 5, [5]],
    [6e-323, 9.4e-323, 5, [6e-323]],
  ])('%d to %d', (low, high, most, expected) => {
    expect(ticks(low, high, most).map((tick) => Number(tick.toPrecision(12)))).toEqual(expected);
  });

  test('stay inside, and are few', () => {
    const bound = fc.double({ noNaN: true, min: -1e25, max: 1e25 });
    fc.assert(
      fc.property(bound, bound, (a, b) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        const found = ticks(low, high, 5);
        expect(found.length).toBeLessThanOrEqual(7);
        const slack = (high - low) * 1e-6;
        for (const tick of found) expect(tick >= low - slack && tick <= high + slack).toBe(true);
      }),
    );
  });
});

describe('a plot', () => {
  test('holds only numbers inside its frame, whatever the values', () => {
    fc.assert(
      fc.property(series, (points) => {
        const svg = draw(points);
        expect(svg).not.toMatch(/NaN|Infinity|undefined/);
        const ys = [...svg.matchAll(/[ML]([\d.-]+) ([\d.-]+)/g)].map((match) => Number(match[2]));
        for (const y of ys) expect(y >= 0 && y <= 132).toBe(true);
        for (const [, x, width] of svg.matchAll(/<rect class="b \w+" x="([\d.-]+)" width="([\d.-]+)"/g)) {
          expect(Number(x) >= 46 && Number(x) + Number(width) <= 396.11).toBe(true);
        }
      }),
    );
  });

  test('leaves a hole where there is no value, and shows a lone value as a dot', () => {
    const svg = draw([point(0, 1), point(1, 2), point(2, null), point(3, 3), point(4, null)]);
    const own = /class="own" d="([^"]*)"/.exec(svg)?.[1] ?? '';
    expect(own.match(/M/g)).toHaveLength(2);
    expect(own).toMatch(/h0$/);
  });

  test('has one band for neighbours that do not agree alike', () => {
    const verdicts = ['equal', 'differs', 'differs', 'equal', 'own_incomplete', 'served_provisional'];
    const svg = draw(verdicts.map((verdict, index) => point(index, 5, 6, verdict)));
    expect([...svg.matchAll(/class="b (\w+)"/g)].map((match) => match[1])).toEqual(['differs', 'own', 'waiting']);
  });

  test('draws served values in the unit of the own ones', () => {
    const svg = draw([point(0, 2e9, 2), point(1, 4e9, 4)], 1e9);
    expect(/class="srv" d="([^"]*)"/.exec(svg)?.[1]).toBe(/class="own" d="([^"]*)"/.exec(svg)?.[1]);
  });

  test('says what it is', () => {
    expect(draw([point(0, 1)])).toContain('role="img" aria-label="a &quot;label&quot;"');
  });
});

describe('thinning', () => {
  test('keeps the ends, the extremes and one of each stretch that does not agree, and stays below the limit', () => {
    fc.assert(
      fc.property(series, fc.integer({ min: 8, max: 200 }), (points, most) => {
        const kept = thinPoints(points, most);
        expect(kept.length).toBeLessThanOrEqual(most);
        if (points.length <= most) {
          expect(kept).toEqual(points);
          return;
        }
        expect([kept[0], kept.at(-1)]).toEqual([points[0], points.at(-1)]);
        const values = (list: readonly Point[]) =>
          list.map(({ own, served }) => own ?? served).filter((known) => known !== null);
        expect(Math.max(...values(kept))).toBe(Math.max(...values(points)));
        expect(Math.min(...values(kept))).toBe(Math.min(...values(points)));
        const hasDiffering = (list: readonly Point[]) =>
          list.some(({ verdict }) => verdict === 'differs' || verdict === 'something_new');
        expect(hasDiffering(kept)).toBe(hasDiffering(points));
        expect([...kept].sort((a, b) => a.bucket - b.bucket)).toEqual(kept);
      }),
    );
  });
});

describe('a calendar', () => {
  const days = (first: string, count: number): CoverageDay[] =>
    Array.from({ length: count }, (_, index) => ({
      chainId: '1',
      day: Date.parse(first) + index * dayMs,
      level: index === 3 ? 'holes' : 'traces',
      open: index === count - 1,
      blocks: 1,
      transactions: 1,
    }));

  test('puts Monday on top and a new column after Sunday', () => {
    // 2026-03-01 was a Sunday.
    const svg = calendarSvg(days('2026-03-01', 3), 'x').markup;
    const squares = [...(/class="l traces" d="([^"]*)"/.exec(svg)?.[1] ?? '').matchAll(/M([\d.]+) ([\d.]+)/g)];
    const [sunday, monday] = squares.map(([, x, y]) => [Number(x), Number(y)]);
    expect(sunday?.[1]).toBeGreaterThan(monday?.[1] ?? 0);
    expect(sunday?.[0]).toBeLessThan(monday?.[0] ?? 0);
  });

  test('shows every day once', () => {
    const svg = calendarSvg(days('2026-01-01', 365), 'x').markup;
    expect(svg.match(/M[\d.]+ [\d.]+h9v9h-9z/g)).toHaveLength(365);
    expect(svg.match(/class="open"/g)).toHaveLength(1);
  });
});
