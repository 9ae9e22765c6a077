/**
 * The first items of each name.
 *
 * @param many how many of a name
 * @param namesOf names of an item
 */
export function firstOfEach<T>(
  items: readonly T[],
  many: number,
  namesOf: (item: T) => readonly string[],
): ReadonlySet<T> {
  const counts = new Map<string, number>();
  const found = new Set<T>();
  for (const item of items) {
    for (const name of namesOf(item)) {
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      if (count <= many) found.add(item);
    }
  }
  return found;
}
