import { describe, expect, test } from 'vitest';
import { FirnError } from '../../../src/core/firnError.ts';
import { bounds } from '../../../src/core/json/bounds.ts';
import { RawList } from '../../../src/core/json/rawList.ts';
import { RawValue } from '../../../src/core/json/rawValue.ts';
import { nextToken } from '../../../src/core/paging/loopGuard.ts';
import { tokenPages } from '../../../src/core/paging/tokenPages.ts';
import type { Request, Response } from '../../../src/core/requests/request.ts';
import { statusError } from '../../../src/extract/answers/answerError.ts';

const request = (token: string | undefined): Request => ({ kind: 'get', path: '/list', query: { token }, weight: 1 });
const unparsed = (list: unknown) => {
  const bytes = Buffer.from(JSON.stringify(list));
  return new RawList(bytes, 0, bytes.length, bounds.page, () => {});
};
const response = (body: unknown): Response => ({ body, fetchedAt: 0, bytes: 0 });

/** Reads a list whose answers are scripted; an Error is thrown instead of answered. Returns the tokens asked with. */
function read(answers: readonly unknown[]): (string | undefined)[] {
  const tokens: (string | undefined)[] = [];
  const pages = tokenPages(request);
  let step = pages.next();
  for (const answer of answers) {
    if (step.done) throw new Error('the read ended early');
    tokens.push((step.value as { query: { token?: string } }).query.token);
    step = answer instanceof Error ? pages.throw(answer) : pages.next(response(answer));
  }
  expect(step.done).toBe(true);
  return tokens;
}

const refused = new FirnError('refused', 'pageToken has expired');

describe('tokenPages', () => {
  test.each([
    ['missing', {}],
    ['null', { nextPageToken: null }],
    ['empty', { nextPageToken: '' }],
  ])('ends where the token is %s', (_, last) => {
    expect(
      read([
        { items: [1], nextPageToken: 'a' },
        { items: [2], ...last },
      ]),
    ).toEqual([undefined, 'a']);
  });

  test('goes on through short and empty pages that carry a token', () => {
    expect(read([{ items: [], nextPageToken: 'a' }, { items: [], nextPageToken: 'b' }, { items: [1] }])).toEqual([
      undefined,
      'a',
      'b',
    ]);
  });

  test('follows the token of an answer that comes unparsed, as where records lie in several places', () => {
    const page = (item: number, nextPageToken?: string) =>
      RawValue.from({ items: [item], one: { item }, nextPageToken });
    expect(read([page(1, 'a'), page(2, 'b'), page(3)])).toEqual([undefined, 'a', 'b']);
    const same = ['a', 'b', 'c', 'd'].map((token) => page(1, token));
    expect(() => read(same)).toThrow(/the same page came 4 times at/);
  });

  test('takes a page that is repeated once', () => {
    expect(
      read([{ items: [1, 2], nextPageToken: 'a' }, { items: [1, 2], nextPageToken: 'b' }, { items: [3] }]),
    ).toHaveLength(3);
  });

  test('a page whose token came before is looked at, as any other, before paging ends', () => {
    const seen: unknown[] = [];
    const pages = tokenPages(request, (page) => seen.push(page.body));
    const bodies = [1, 2].map((item) => ({ items: [item], nextPageToken: 'a' }));
    pages.next();
    for (const body of bodies) {
      const read = pages.next(response(body));
      expect(read.value).toMatchObject({ kind: 'read', page: { body } });
      if (body === bodies[0]) pages.next();
    }
    expect(() => pages.next()).toThrow(/token a came twice/);
    expect(seen).toEqual(bodies);
  });

  test('refuses a token that comes twice', () => {
    expect(() =>
      read([
        { items: [1], nextPageToken: 'a' },
        { items: [2], nextPageToken: 'a' },
      ]),
    ).toThrow(/token a came twice at \/list/);
  });

  test('refuses a page that keeps coming under new tokens', () => {
    const page = (token: string) => ({ items: [1n, 2], nextPageToken: token });
    expect(() => read([page('a'), page('b'), page('c'), page('d')])).toThrow(/the same page came 4 times/);
  });

  test.each([
    [1, [0]],
    [3, [0, 1, 2]],
    [3, [0, 1, 1, 2]],
  ])('refuses a list that wraps around after %i pages, under tokens that never come twice', (_, items) => {
    const pages = Array.from({ length: 40 }, (_, n) => ({ items: [items[n % items.length]], nextPageToken: `t${n}` }));
    expect(() => read(pages)).toThrow(/^the same page came 4 times at \/list/);
  });

  test('takes a list of which each page comes three times', () => {
    const pages = [1, 2, 3, 1, 2, 3, 1, 2, 3].map((item, n) => ({ items: [item], nextPageToken: `t${n}` }));
    expect(read([...pages, { items: [4] }])).toHaveLength(10);
  });

  test.each([
    ['parsed', (list: unknown) => list],
    ['unparsed', unparsed],
  ])('takes pages that are equally long and differ anywhere (%s)', (_, given) => {
    const pages = [11, 12, 13, 14].map((two, n) => ({ items: given([...`${two}`]), nextPageToken: `t${n}` }));
    const longer = [10, 11, 12, 13].map((two, n) => ({ items: given([two, 5]), nextPageToken: `u${n}` }));
    expect(read([...pages, ...longer, { items: [] }])).toHaveLength(9);
  });

  test('lets more than a thousand empty pages come between others', () => {
    const pages = Array.from({ length: 3300 }, (_, n) => ({ items: n % 3 ? [] : [n], nextPageToken: `t${n}` }));
    expect(read([...pages, { items: [] }])).toHaveLength(3301);
  });

  test('refuses a token that is longer than any', () => {
    const page = (length: number) => ({ items: [length], nextPageToken: 'A'.repeat(length) });
    expect(read([page(8192), { items: [1] }])).toHaveLength(2);
    expect(() => read([page(8193)])).toThrow(
      /^the answer holds no page token of at most 8192 characters; it is an object with \["items","nextPageToken"\]/,
    );
  });

  test.each([
    ['an empty page', [], false],
    ['an empty page that came unparsed', unparsed([]), false],
    ['a page of rows that have no key', [1, 1], true],
  ])('lets %s come a thousand times more, and not forever', (_, list, mayBeAlike) => {
    const walk = (pages: number) => {
      const read = tokenPages(request, undefined, undefined, mayBeAlike);
      let given = read.next();
      for (let n = 1; !given.done; n++)
        given = read.next(response({ items: list, ...(n < pages && { nextPageToken: `t${n}` }) }));
      return given.value;
    };
    expect(walk(1000)).toBe(false);
    expect(() => walk(2000)).toThrow(/the same page(, an empty one,)? came 1002 times in a row at \/list/);
  });

  test.each(['refused', 'not_found'] as const)('begins again where a token is %s, twice at most', (code) => {
    const refused = new FirnError(code, 'pageToken has expired');
    const first = { items: [1], nextPageToken: 'a' };
    expect(read([first, refused, first, { items: [2] }])).toEqual([undefined, 'a', undefined, 'a']);
    expect(() => read([first, refused, first, refused, first, refused])).toThrow(
      /^pageToken has expired It refuses the page tokens that it gives/,
    );
  });

  test('reads so many pages at most, counted anew where the list begins again, and says whether a token was left', () => {
    for (const [last, isLeft] of [
      [{ items: [2], nextPageToken: 'b' }, true],
      [{ items: [2] }, false],
    ] as const) {
      const pages = tokenPages(request, undefined, undefined, false, 2);
      const first = response({ items: [1], nextPageToken: 'a' });
      pages.next();
      pages.next(first);
      pages.throw(refused);
      pages.next(first);
      expect(pages.next(response(last))).toEqual({ done: true, value: isLeft });
    }
  });

  test('says of a token that is refused nothing about the parameters of the stream', () => {
    const refused = statusError(
      'GET https://host/list',
      { status: 400, headers: {}, text: '{"message":"Invalid token"}' },
      {} as never,
    );
    expect(refused.message).toMatch(/Check the parameters/);
    const first = { items: [1], nextPageToken: 'a' };
    const reading = () => read([first, refused, first, refused, first, refused]);
    expect(reading).toThrow(
      /^GET https:..host.list answered 400 Bad Request: "Invalid token"\. It refuses the page tokens that it gives.* report it/,
    );
    expect(reading).toThrow(expect.objectContaining({ code: 'contract' }));
  });

  test('passes on other errors, and a refusal of the first page', () => {
    expect(() => read([refused])).toThrow('pageToken has expired');
    const down = new FirnError('unavailable', 'no answer', { retryable: true });
    expect(() => read([{ items: [1], nextPageToken: 'a' }, down])).toThrow('no answer');
  });
});

test('the token of an answer that came unparsed as a whole is read', () => {
  expect(nextToken(RawValue.from({ rows: [], nextPageToken: 'next' }))).toBe('next');
});
