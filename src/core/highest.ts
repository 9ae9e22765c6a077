/** The highest of some numbers; undefined where none is one. @param below those from it on do not count */
export function highest(numbers: Iterable<number>, before?: number, below?: number | null): number | undefined {
  let found = before;
  for (const number of numbers)
    if (number > (found ?? Number.NEGATIVE_INFINITY) && !(number >= (below ?? Number.POSITIVE_INFINITY)))
      found = number;
  return found;
}
