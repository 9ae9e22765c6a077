import { FirnError } from '../firnError.ts';
import type { Request, Response } from '../request.ts';

/** The members of a list answer that paging looks at. */
interface ListBody {
  readonly nextPageToken?: string | null;
}

/**
 * Reads a paged list to its end: until the token is missing or empty, and on nothing else (a page may be short or empty
 * and still carry a token).
 *
 * @param request the request for a page token, `undefined` for the first page
 * @param first token to begin with, when a read goes on
 * @returns the number of pages
 * @throws FirnError `contract` when a token or a page comes twice: the source would page for ever
 */
export function* tokenPages(
  request: (token: string | undefined) => Request,
  first?: string,
): Generator<Request, number, Response> {
  const seen = new Set<string>();
  let previous = '';
  let token = first;
  for (let pages = 1; ; pages++) {
    const asked = request(token);
    const response = yield asked;
    const next = nextToken(response.body);
    const content = contentOf(response.body);
    if (next !== undefined && seen.has(next)) throw loop(asked, `page token ${next} came twice`);
    if (next !== undefined && content !== '' && content === previous) throw loop(asked, 'the same page came twice');
    if (next === undefined) return pages;
    seen.add(next);
    previous = content;
    token = next;
  }
}

/** `nextPageToken` of an answer; undefined where it is missing, null or empty, which is the end of a list. */
export function nextToken(body: unknown): string | undefined {
  return (body as ListBody | null)?.nextPageToken || undefined;
}

/** Ends and length of the page's list: enough to know the page again, without the cost of all of it. */
function contentOf(body: unknown): string {
  const list = Object.values((body ?? {}) as object).find(Array.isArray) as unknown[] | undefined;
  if (!list?.length) return '';
  return `${list.length}|${shape(list[0])}|${shape(list.at(-1))}`;
}

const shape = (item: unknown) =>
  JSON.stringify(item, (_, value) => (typeof value === 'bigint' ? String(value) : value));

function loop(request: Request, what: string): FirnError {
  return new FirnError(
    'contract',
    `${what} at ${'path' in request ? request.path : 'the source'}: paging would never end. ` +
      'What was read is kept; run again later, and report it to the operator of the source if it stays.',
    { retryable: false },
  );
}
