import { type Asking, type DateBrackets, findHeight, givenBound, parseBound } from '../../src/index.ts';

/** Parameters of streams that read blocks by height. */
export const blockBounds = {
  from: givenBound.default(0).describe('First block: a height, a date, or an age such as -30d.'),
  to: givenBound.optional().describe('Last block, as for `from`; the head if omitted.'),
};

/**
 * The last height to read: the head, or the last one below a bound. Once that is reached, one question a run is enough to know it.
 *
 * @param next the first height that was not read yet
 * @param timeOf asks for the time of a height, Unix seconds
 */
export function* lastHeight(
  to: string | number | undefined,
  { next, head, brackets }: { next: number; head: number; brackets: DateBrackets | undefined },
  timeOf: (height: number) => Asking<number>,
): Asking<number> {
  if (to === undefined) return head;
  const bound = parseBound(to);
  if ('height' in bound) return Math.min(bound.height, head);
  return (yield* findHeight(bound, head, timeOf, { lowest: next, brackets })) - 1;
}
