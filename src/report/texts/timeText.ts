import { timestampOf } from '../../transform/bucketTime.ts';

export const dayMs = 86_400_000;

/** A moment as `2026-04-04 23:54:20`, UTC. */
export const momentText = (milliseconds: number): string => timestampOf(milliseconds / 1000);

/** A day as `2026-04-04`, UTC. */
export const dayText = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);

/** The start of a bucket as short as its interval allows: hours with their hour, months without a day. One that begins within a day of UTC has its time. */
export function bucketText(milliseconds: number, interval: string): string {
  const text = momentText(milliseconds);
  if (interval === 'hour' || milliseconds % dayMs !== 0) return text.slice(0, 16);
  return interval === 'month' ? text.slice(0, 7) : text.slice(0, 10);
}

const units: readonly (readonly [number, string])[] = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
];

/** How long ago something was; what lies ahead was told by a clock that was wrong then, or is now. */
export const agoText = (milliseconds: number): string =>
  milliseconds < 0 ? `${spanText(milliseconds)} from now: a clock was wrong` : `${spanText(milliseconds)} ago`;

/** A span in its two largest units: `3 d 4 h`, `12 min`, `0.8 s`. */
export function spanText(milliseconds: number): string {
  const seconds = Math.abs(milliseconds) / 1000;
  if (seconds < 10) return `${Number(seconds.toFixed(1))} s`;
  const first = units.findIndex(([size]) => seconds >= size);
  const [size, name] = units[first] ?? [1, 's'];
  const next = units[first + 1];
  const whole = Math.floor(seconds / size);
  const rest = next ? Math.floor((seconds - whole * size) / next[0]) : 0;
  return next && rest > 0 ? `${whole} ${name} ${rest} ${next[1]}` : `${whole} ${name}`;
}
