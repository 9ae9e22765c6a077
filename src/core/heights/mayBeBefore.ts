import { parseBound } from './findHeight.ts';
import { isBefore } from './isBefore.ts';

/** Whether a bound, as a configuration says it, lies before another, as far as that is known without the source. */
export const mayBeBefore = (one: string, other: string): boolean =>
  isBefore(parseBound(one), parseBound(other)) !== false;
