import type { Request, Response } from '../request.ts';
import { tokenPages } from './tokenPages.ts';

/** What a look at a list shows. */
interface Looked {
  /** Rows of the first page that has any, in whatever order they came; none where the list has none. */
  readonly records: readonly unknown[];
  /** Whether a token leads on behind them. */
  readonly more: boolean;
}

/**
 * Looks at a list: its tokens are followed to the first page with rows, or to the end. An empty page that carries a token
 * says nothing of the list. Every question that a list is to answer without being read is asked in this way.
 *
 * @param request the request for a page token, `undefined` for the first page
 */
export function* look(
  request: (token: string | undefined) => Request,
  recordsOf: (body: unknown) => readonly unknown[],
): Generator<Request, Looked, Response> {
  let records: readonly unknown[] = [];
  const more = yield* tokenPages(
    request,
    ({ body }) => {
      records = recordsOf(body);
    },
    () => records.length > 0,
  );
  return { records, more };
}
