import { TrieRouter } from 'hono/router/trie-router';

/** The handler of a path, and the values of the `{names}` in its pattern. */
export interface Found<T> {
  readonly route: T;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Finds routes by method (`ALL` for any) and path. A `{name}` stands for one segment, which is not empty.
 *
 * @returns null where there is no such route
 */
export function createRouter<T extends { readonly method: string; readonly pattern: string }>(
  routes: readonly T[],
): (method: string, path: string) => Found<T> | null {
  const router = new TrieRouter<T>();
  for (const route of routes) router.add(route.method, route.pattern.replaceAll(/\{(\w+)\}/g, ':$1'), route);
  return (method, path) => {
    const [found] = router.match(method, path)[0];
    return found === undefined ? null : { route: found[0], params: found[1] as Record<string, string> };
  };
}
