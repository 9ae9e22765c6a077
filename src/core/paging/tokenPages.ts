import type { Request, Response } from '../request.ts';
import { createLoopGuard, isTokenRefused } from './loopGuard.ts';

/** How often a list is begun again because its page token was refused, before the error is passed on. */
const restartsAllowed = 2;

/**
 * Reads a paged list to its end: until the token is missing or empty, and on nothing else (a page may be short or empty
 * and still carry a token). A list whose token is refused in the middle is read again from its first page.
 *
 * @param request the request for a page token, `undefined` for the first page
 * @param seen told of every answer
 * @param enough asked after every answer whether the rest is not wanted
 * @returns whether a token was left
 * @throws FirnError `contract` when paging would never end
 */
export function* tokenPages(
  request: (token: string | undefined) => Request,
  seen: (response: Response) => void = () => {},
  enough: () => boolean = () => false,
): Generator<Request, boolean, Response> {
  for (let restarts = 0; ; restarts++) {
    const guard = createLoopGuard();
    let token: string | undefined;
    try {
      do {
        const asked = request(token);
        const response: Response = yield asked;
        seen(response);
        token = guard.next(asked, response.body);
      } while (token !== undefined && !enough());
      return token !== undefined;
    } catch (error) {
      if (!isTokenRefused(error, token) || restarts === restartsAllowed) throw error;
    }
  }
}
