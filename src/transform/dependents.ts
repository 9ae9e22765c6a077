/**
 * Relations with everything that is built on them, directly or not. Names are compared without case.
 *
 * @param references what each relation reads
 * @returns lower-case names, those given among them
 */
export function dependents(
  names: Iterable<string>,
  references: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const readers = new Map<string, string[]>();
  for (const [name, read] of references) {
    for (const below of read) {
      const key = below.toLowerCase();
      readers.set(key, [...(readers.get(key) ?? []), name.toLowerCase()]);
    }
  }
  const found = new Set<string>();
  const visit = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    for (const reader of readers.get(name) ?? []) visit(reader);
  };
  for (const name of names) visit(name.toLowerCase());
  return found;
}
