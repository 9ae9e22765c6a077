import type { Query } from '../../core/requests/request.ts';

/**
 * Path and query to ask for: `path` below the base URL's own path (an empty one is that path as it stands), and its own
 * query parameters before those given. Parameters that are undefined or null are left out, a list is repeated (`a=1&a=2`). What cannot stand in
 * a path is encoded.
 */
export function requestTarget(base: URL, path: string, query: Query = {}): string {
  const parameters = new URLSearchParams(base.search);
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    parameters.delete(name);
    for (const item of [value].flat()) parameters.append(name, String(item));
  }
  const search = parameters.toString();
  const below =
    path === '' ? base.pathname : `${base.pathname.replace(/\/+$/, '')}/${encoded(path.replace(/^\/+/, ''))}`;
  return search === '' ? below : `${below}?${search}`;
}

/** A parameter from the configuration may hold anything; a path that is encoded already stays as it is. */
const encoded = (path: string): string =>
  path.replace(/[^\x21-\x7e]+|[?#"<>\\^`{|}]/g, (part) => encodeURIComponent(part.toWellFormed()));
