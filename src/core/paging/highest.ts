/** The highest of some numbers; undefined where none is one. */
export function highest(numbers: Iterable<number>, before?: number): number | undefined {
  let found = before;
  for (const number of numbers)
    if (!(number <= (found ?? Number.NEGATIVE_INFINITY)) && !Number.isNaN(number)) found = number;
  return found;
}
