import { expect, test } from 'vitest';
import { FirnError } from '../../../src/core/firnError.ts';
import { look } from '../../../src/core/paging/look.ts';
import { itemsOf } from './listSource.ts';

type Page = { readonly items: readonly unknown[]; readonly nextPageToken?: string | null } | FirnError;

/** Looks at a list of these pages; gives what was seen and the tokens that were asked with. */
function lookAt(pages: readonly Page[]) {
  const asked: (string | undefined)[] = [];
  const looking = look((token) => {
    asked.push(token);
    return { kind: 'get', path: '/list', query: { pageToken: token }, weight: 1 };
  }, itemsOf);
  let step = looking.next();
  for (const page of pages) {
    if (step.done) break;
    step = page instanceof FirnError ? looking.throw(page) : looking.next({ body: page, fetchedAt: 0, bytes: 0 });
  }
  return { seen: step.done ? step.value : 'asks on', asked };
}

test.each<[string, readonly Page[], unknown, (string | undefined)[]]>([
  ['a page with rows', [{ items: [1, 2], nextPageToken: 'a' }], { records: [1, 2], more: true }, [undefined]],
  ['all there is', [{ items: [1] }], { records: [1], more: false }, [undefined]],
  ['nothing', [{ items: [], nextPageToken: null }], { records: [], more: false }, [undefined]],
  [
    'rows behind empty pages',
    [
      { items: [], nextPageToken: 'a' },
      { items: [], nextPageToken: 'b' },
      { items: [1], nextPageToken: '' },
    ],
    { records: [1], more: false },
    [undefined, 'a', 'b'],
  ],
  [
    'nothing behind empty pages',
    [{ items: [], nextPageToken: 'a' }, { items: [] }],
    { records: [], more: false },
    [undefined, 'a'],
  ],
  [
    'a list whose token is refused, from its first page on',
    [{ items: [], nextPageToken: 'a' }, new FirnError('refused', 'expired'), { items: [1] }],
    { records: [1], more: false },
    [undefined, 'a', undefined],
  ],
])('sees %s', (_, pages, seen, asked) => {
  expect(lookAt(pages)).toEqual({ seen, asked });
});

test('ends where tokens lead nowhere', () => {
  const page = { items: [], nextPageToken: 'a' };
  expect(() => lookAt([page, page])).toThrow(/page token a came twice/);
});
