import { expect, test } from 'vitest';
import { createDailyUsage } from '../../../src/extract/limits/dailyUsage.ts';

const at = (time: string) => Date.parse(`${time}Z`);

test('what is spent adds up until the day ends, in UTC', () => {
  const day = createDailyUsage({ day: '2026-01-20', used: 5 });
  day.spend(2, at('2026-01-20T23:59:59'));
  expect(day.usage(at('2026-01-20T23:59:59'))).toEqual({ day: '2026-01-20', used: 7 });
  expect(day.usage(at('2026-01-21T00:00:00'))).toEqual({ day: '2026-01-21', used: 0 });
});

test('what an earlier day used does not count', () => {
  expect(createDailyUsage({ day: '2026-01-19', used: 5 }).usage(at('2026-01-20T00:00:00')).used).toBe(0);
  expect(createDailyUsage().usage(at('2026-01-20T00:00:00'))).toEqual({ day: '2026-01-20', used: 0 });
});
