import type { Query } from '../core/request.ts';

/**
 * Path and query to ask for: `path` below the base URL's own path (an empty one is that path as it stands), and its own
 * query parameters before those given. Parameters that are undefined are left out.
 */
export function requestTarget(base: URL, path: string, query: Query = {}): string {
  const parameters = new URLSearchParams(base.search);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  const search = parameters.toString();
  const below = path === '' ? base.pathname : `${base.pathname.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`;
  return search === '' ? below : `${below}?${search}`;
}
