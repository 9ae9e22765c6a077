/** The items of a list that must not be empty: a loop over nothing would pass whatever it asks. */
export function some<T>(items: Iterable<T>): readonly T[] {
  const all = [...items];
  if (all.length === 0) throw new Error('There is nothing to look at: what a test is about is missing.');
  return all;
}
