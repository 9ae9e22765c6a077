import type { Answer, Reading } from '../requests/page.ts';
import type { Request } from '../requests/request.ts';
import { createLoopGuard, isTokenRefused, tokensRefused } from './loopGuard.ts';

/** How often a list is begun again because its page token was refused, before the error is passed on. */
const restartsAllowed = 2;

/**
 * Reads a paged list to its end: until the token is missing or empty, and on nothing else (a page may be short or empty
 * and still carry a token). A list whose token is refused in the middle is read again from its first page.
 *
 * The token is the member `nextPageToken` of the answer, here and in all else that pages by `request(…, token)`. Of a service that names it
 * otherwise, or gives it in a header, the first page is all: its lists need a loop of their own (docs/extend.md).
 *
 * @param request the request for a page token, `undefined` for the first page
 * @param seen told of every page once its rows are read
 * @param enough asked after every page whether the rest is not wanted
 * @param mayBeAlike whether rows have no key, so that whole pages may be alike
 * @param most pages that are read at most, counted anew where the list is begun again
 * @returns whether a token was left
 * @throws FirnError `contract` when paging would never end
 */
export function* tokenPages<Given extends Answer>(
  request: (token: string | undefined) => Request,
  seen?: (page: Given) => void,
  enough?: () => boolean,
  mayBeAlike = false,
  most = Number.POSITIVE_INFINITY,
): Generator<Request | Reading<Given>, boolean, Given> {
  for (let restarts = 0; ; restarts++) {
    const guard = createLoopGuard(mayBeAlike);
    let token: string | undefined;
    let asked: Request | undefined = request(undefined);
    let pages = 0;
    try {
      while (asked) {
        const page: Given = yield asked;
        const next = guard.next(asked, page.body);
        ({ token } = next);
        asked = token === undefined || ++pages === most ? undefined : request(token);
        if (seen) {
          yield { kind: 'read', page, ahead: enough ? undefined : asked };
          seen(page);
        }
        if (next.wrong !== undefined) throw next.wrong;
        if (enough?.()) break;
      }
      return token !== undefined;
    } catch (error) {
      if (!isTokenRefused(error, token)) throw error;
      if (restarts === restartsAllowed) throw tokensRefused(error);
    }
  }
}
