import type { Looking, Page } from '../requests/page.ts';
import type { Request } from '../requests/request.ts';
import { tokenPages } from './tokenPages.ts';

/** What a look at a list shows. */
interface Looked {
  /** The first page that has rows, in whatever order they came; one without any where the list has none. */
  readonly page: Page;
  /** Whether a token leads on behind it. */
  readonly more: boolean;
}

/**
 * Looks at a list: its tokens are followed to the first page with rows, or to the end. An empty page that carries a token
 * says nothing of the list. Every question that a list answers without being read is asked in this way; the page of one
 * that is only a question must be dropped.
 *
 * @param request the request for a page token, `undefined` for the first page
 */
export function* look(request: (token: string | undefined) => Request): Looking<Looked> {
  const pages: Page[] = [];
  try {
    const more = yield* tokenPages<Page>(
      request,
      (page) => pages.push(page),
      () => pages.at(-1)?.length !== 0,
    );
    return { page: pages.at(-1) as Page, more };
  } catch (error) {
    // Nobody is given them: whether their rows are wanted was not asked yet.
    for (const page of pages) page.drop();
    throw error;
  }
}
