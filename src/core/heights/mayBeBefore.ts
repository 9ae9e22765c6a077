import { parseBound } from './findHeight.ts';
import { fixedBound } from './fixedBound.ts';
import { isBefore } from './isBefore.ts';

/**
 * Whether a bound, as a configuration says it, lies before another, as far as that is known without the source.
 *
 * @param now milliseconds since 1970
 */
export function mayBeBefore(one: string, other: string, now: number): boolean {
  const bound = (text: string) => parseBound(fixedBound(text, now));
  return isBefore(bound(one), bound(other)) !== false;
}
