import { expect, test } from 'vitest';
import { FirnError } from '../../../src/core/firnError.ts';
import { look } from '../../../src/core/paging/look.ts';
import { pageOf } from './driver.ts';

type Given = { readonly items: readonly number[]; readonly nextPageToken?: string | null } | FirnError;

/** Looks at a list of these pages; gives what was seen and the tokens that were asked with. */
function lookAt(pages: readonly Given[]) {
  const asked: (string | undefined)[] = [];
  const looking = look((pageToken) => ({ kind: 'get', path: '/list', query: { pageToken }, weight: 1 }));
  let step = looking.next();
  for (const given of pages) {
    if (step.done || step.value.kind !== 'get') break;
    asked.push(step.value.query?.['pageToken'] as string | undefined);
    const records = 'items' in given ? given.items.map((cursor) => ({ id: `${cursor}`, cursor })) : [];
    step =
      given instanceof FirnError ? looking.throw(given) : looking.next(pageOf(records, { ...given, items: records }));
    if (!step.done && step.value.kind === 'read') step = looking.next(undefined as never);
  }
  const seen = step.done && { rows: [...step.value.page.numbers('cursor')], more: step.value.more };
  return { seen, asked };
}

test.each<[string, readonly Given[], unknown, (string | undefined)[]]>([
  ['a page with rows', [{ items: [1, 2], nextPageToken: 'a' }], { rows: [1, 2], more: true }, [undefined]],
  ['all there is', [{ items: [1] }], { rows: [1], more: false }, [undefined]],
  ['nothing', [{ items: [], nextPageToken: null }], { rows: [], more: false }, [undefined]],
  [
    'rows behind empty pages',
    [
      { items: [], nextPageToken: 'a' },
      { items: [], nextPageToken: 'b' },
      { items: [1], nextPageToken: '' },
    ],
    { rows: [1], more: false },
    [undefined, 'a', 'b'],
  ],
  [
    'nothing behind empty pages',
    [{ items: [], nextPageToken: 'a' }, { items: [] }],
    { rows: [], more: false },
    [undefined, 'a'],
  ],
  [
    'a list whose token is refused, from its first page on',
    [{ items: [], nextPageToken: 'a' }, new FirnError('refused', 'expired'), { items: [1] }],
    { rows: [1], more: false },
    [undefined, 'a', undefined],
  ],
])('sees %s', (_, pages, seen, asked) => {
  expect(lookAt(pages)).toEqual({ seen, asked });
});

test('ends where tokens lead nowhere', () => {
  const page = { items: [], nextPageToken: 'a' };
  expect(() => lookAt([page, page])).toThrow(/page token a came twice/);
});

test('the page of a token that came before is dropped: whether its rows are wanted nobody has asked', () => {
  const looking = look((pageToken) => ({ kind: 'get', path: '/list', query: { pageToken }, weight: 1 }));
  looking.next();
  const empty = pageOf([], { nextPageToken: 'a' });
  const last = pageOf([{ id: '1', cursor: 1 }], { nextPageToken: 'a' });
  for (const page of [empty, last]) {
    looking.next(page);
    if (page === empty) looking.next(undefined as never);
  }
  expect(() => looking.next(undefined as never)).toThrow(/page token a came twice/);
  expect(last.kept).toBe(0);
});
