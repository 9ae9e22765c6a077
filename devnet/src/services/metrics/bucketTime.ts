import type { Interval } from './metricNames.ts';

const hour = 3600;
const day = 24 * hour;
/** Monday 1969-12-29, the Monday before the epoch. */
const someMonday = -3 * day;

/** Start of the bucket that holds `time` (seconds, UTC). Weeks start on Monday, months on the first. */
export function bucketStart(time: number, interval: Interval): number {
  switch (interval) {
    case 'hour':
      return time - (time % hour);
    case 'day':
      return time - (time % day);
    case 'week':
      return time - ((time - someMonday) % (7 * day));
    case 'month': {
      const date = new Date(time * 1000);
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / 1000;
    }
  }
}

/** Start of the bucket after the one that starts at `start`. */
export function bucketEnd(start: number, interval: Interval): number {
  switch (interval) {
    case 'hour':
      return start + hour;
    case 'day':
      return start + day;
    case 'week':
      return start + 7 * day;
    case 'month': {
      const date = new Date(start * 1000);
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / 1000;
    }
  }
}
