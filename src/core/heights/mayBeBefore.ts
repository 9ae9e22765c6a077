import { type Bound, parseBound } from './findHeight.ts';
import { isBefore } from './isBefore.ts';

/**
 * Whether a bound, as a configuration says it, lies before another, as far as that is known without the source. An age counts from the newest
 * block, which is taken for one of this moment.
 *
 * @param now milliseconds since 1970
 */
export function mayBeBefore(one: string, other: string, now: number): boolean {
  const bound = (text: string): Bound => {
    const said = parseBound(text);
    return 'age' in said ? { time: now / 1000 - said.age } : said;
  };
  return isBefore(bound(one), bound(other)) !== false;
}
