/** Lengths of the buckets of metrics: UTC hours, days, weeks from Monday on, months. */
export const intervals = ['hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof intervals)[number];

const seconds = { hour: 3600, day: 86_400, week: 7 * 86_400 } as const;
/** Monday before the epoch, which was a Thursday. */
const someMonday = -3 * 86_400;

/** Start of the bucket that holds a moment (Unix seconds, UTC): weeks begin on Monday, months on the first. */
export function bucketStart(interval: Interval, moment: number): number {
  if (interval === 'month') {
    const date = new Date(moment * 1000);
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / 1000;
  }
  const width = seconds[interval];
  const origin = interval === 'week' ? someMonday : 0;
  return moment - ((((moment - origin) % width) + width) % width);
}

/** Start of the bucket after the one that begins at `start`. */
export function bucketEnd(interval: Interval, start: number): number {
  if (interval !== 'month') return start + seconds[interval];
  const date = new Date(start * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / 1000;
}

/** Unix seconds of TIMESTAMP text (`2026-01-20 00:00:00`), which is UTC. */
export const secondsOf = (timestamp: string): number => Date.parse(`${timestamp.replace(' ', 'T')}Z`) / 1000;

/** TIMESTAMP text of Unix seconds. */
export const timestampOf = (moment: number): string =>
  new Date(moment * 1000).toISOString().slice(0, 19).replace('T', ' ');
