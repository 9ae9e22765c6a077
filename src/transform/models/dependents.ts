import { groupBy } from '../../core/groupBy.ts';

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
  const pairs = [...references].flatMap(([name, read]) => read.map((below) => ({ name, below })));
  const readers = groupBy(pairs, ({ below }) => below.toLowerCase());
  const found = new Set<string>();
  const visit = (named: string): void => {
    const name = named.toLowerCase();
    if (found.has(name)) return;
    found.add(name);
    for (const reader of readers.get(name) ?? []) visit(reader.name);
  };
  for (const name of names) visit(name);
  return found;
}
