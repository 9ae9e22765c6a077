/**
 * The path to the first text of some values that says nothing: an empty or blank one, or one whose list of names has such a part
 * (`avax1q,,avax1r`). As a part of a path or a filter it would ask for something else.
 */
export function emptyText(value: unknown): readonly PropertyKey[] | undefined {
  if (typeof value === 'string') return value.split(',').some((part) => part.trim() === '') ? [] : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const path = emptyText(inner);
    if (path) return [Array.isArray(value) ? Number(key) : key, ...path];
  }
  return undefined;
}
