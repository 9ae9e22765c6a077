import type { Bound } from './findHeight.ts';

/** Whether a bound lies before another; undefined where only the source could tell, as of a date and a height. */
export function isBefore(one: Bound, other: Bound): boolean | undefined {
  if ('height' in other && (other.height === 0 || 'height' in one)) return 'height' in one && one.height < other.height;
  if ('height' in one && one.height === 0) return true;
  if ('time' in one && 'time' in other) return one.time < other.time;
  if ('age' in one && 'age' in other) return one.age > other.age;
  return undefined;
}
