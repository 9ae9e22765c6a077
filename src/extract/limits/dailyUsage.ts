import type { DailyUsage } from '../../core/requests/dailyUsage.ts';

const dayMs = 86_400_000;

/** Compute units used today. */
export function createDailyUsage(known: DailyUsage = { day: '', used: 0 }) {
  let today = known;
  let endsAt = 0;
  const usage = (now: number): DailyUsage => {
    if (now >= endsAt) {
      const day = new Date(now).toISOString().slice(0, 10);
      if (today.day !== day) today = { day, used: 0 };
      endsAt = Date.parse(day) + dayMs;
    }
    return today;
  };
  return {
    usage,
    spend(weight: number, now: number) {
      const { day, used } = usage(now);
      today = { day, used: used + weight };
    },
  };
}
