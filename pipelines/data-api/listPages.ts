import { type Page, type Request, tokenPages } from '../../src/index.ts';

/** Reads a list of the service to its end. @param weight compute units a request */
export const listPages = (path: string, query: Extract<Request, { kind: 'get' }>['query'], weight: number) =>
  tokenPages<Page>((pageToken) => ({ kind: 'get', path, query: { ...query, pageToken }, weight }));
