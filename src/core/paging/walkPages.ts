import type { FirnError } from '../firnError.ts';
import type { Page, Reading } from '../requests/page.ts';
import type { Request } from '../requests/request.ts';
import type { Position } from '../stream/partition.ts';
import type { Advance } from '../stream/stream.ts';
import { createLoopGuard, isTokenRefused, tokensRefused } from './loopGuard.ts';

/** How often a read starts over because its token was refused. */
export const restartsAllowed = 3;

interface Walk<At extends Position> {
  readonly request: (token: string | undefined) => Request;
  /** Token with which an interrupted walk goes on. */
  readonly token?: string | undefined;
  /** Whether the walk goes on behind the page to come if that has a token, whatever it holds. */
  readonly goesOn: () => boolean;
  /**
   * Looks at a page.
   *
   * @param token the one that leads on
   * @returns what may be made durable now; `end` where the rest is not wanted
   */
  readonly take: (page: Page, token: string | undefined) => At | 'end' | undefined;
  /** What to make durable where tokens lead nowhere: the next run must not go on with them. */
  readonly lost?: At;
}

/**
 * Walks a list page by page to its end.
 *
 * @returns the error of a token that the source refused; undefined at the end
 * @throws FirnError `contract` when paging would never end
 */
export function* walkPages<At extends Position>(
  walk: Walk<At>,
): Generator<Request | Reading | Advance<At>, { refused: FirnError } | undefined, Page> {
  const guard = createLoopGuard();
  let { token } = walk;
  let asked: Request | undefined = walk.request(token);
  while (asked) {
    let page: Page;
    try {
      page = yield asked;
    } catch (error) {
      if (isTokenRefused(error, token)) return { refused: tokensRefused(error) };
      throw error;
    }
    const next = guard.next(asked, page.body);
    ({ token } = next);
    asked = token === undefined ? undefined : walk.request(token);
    yield { kind: 'read', page, ahead: walk.goesOn() ? asked : undefined };
    const taken = walk.take(page, token);
    if (next.wrong !== undefined) {
      if (walk.lost) yield { kind: 'advance', position: walk.lost };
      throw next.wrong;
    }
    if (taken === 'end') return undefined;
    if (taken) yield { kind: 'advance', position: taken };
  }
  return undefined;
}
