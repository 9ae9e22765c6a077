/**
 * The relations that a pattern of an audit names; none where it is wrong.
 *
 * @param known every table and view of the warehouse, and every model
 */
export function protectedRelations(pattern: string, known: Iterable<string>): string[] {
  const begin = pattern.endsWith('*') ? pattern.slice(0, -1) : undefined;
  return [...known].filter((name) => (begin === undefined ? name === pattern : name.startsWith(begin)));
}
