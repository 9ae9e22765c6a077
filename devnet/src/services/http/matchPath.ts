/** The values of the `{names}` of a path pattern, or null where the path is another. */
export function matchPath(pattern: string, path: string): Record<string, string> | null {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return null;
  const values: Record<string, string> = {};
  for (const [at, part] of wanted.entries()) {
    const value = given[at] ?? '';
    if (!part.startsWith('{')) {
      if (part !== value) return null;
    } else if (value === '') {
      return null;
    } else {
      values[part.slice(1, -1)] = value;
    }
  }
  return values;
}
