import { describe, expect, test } from 'vitest';
import type { CoverageDay } from '../../../src/report/reportData.ts';
import { calendarSvg } from '../../../src/report/sections/calendarSvg.ts';

const dayMs = 86_400_000;

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
