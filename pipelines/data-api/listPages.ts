import { type Page, type Request, tokenPages } from '../../src/index.ts';

/** Reads a list of the service to its end. @param weight compute units a request @param seen told of every page */
export const listPages = (
  path: string,
  query: Extract<Request, { kind: 'get' }>['query'],
  weight: number,
  seen?: (page: Page) => void,
) => tokenPages<Page>((pageToken) => ({ kind: 'get', path, query: { ...query, pageToken }, weight }), seen);
