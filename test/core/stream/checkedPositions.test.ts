import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineStream, int64, type Request } from '../../../src/index.ts';

const head: Request = { kind: 'get', path: '/head', weight: 1 };

/** A stream whose generators return what the answer to a request is. */
const heights = defineStream(
  { name: 'own', description: 'x', numbers: 'lossless' },
  {
    name: 'heights',
    description: 'x',
    endpoint: 'x',
    parameters: z.strictObject({}),
    partitions: () => [{ values: {} }],
    schema: z.object({ height: int64('x') }),
    key: ['height'],
    way: 'range',
    position: 'height',
    size: 5,
    ahead: 2,
    *head() {
      return (yield head).body as number | null;
    },
    *first() {
      return (yield head).body as number;
    },
    *last() {
      return (yield head).body as number;
    },
    *read() {
      yield head;
      return [];
    },
  },
);

const partition = { values: {} };
const members = {
  head: () => heights.head(partition),
  first: () => heights.first(partition, 1),
  last: () => heights.last?.(partition, 1, 1),
};

function given(member: keyof typeof members, body: unknown) {
  const asking = members[member]();
  expect(asking?.next().value).toEqual(head);
  return asking?.next({ body }).value;
}

test.each<[keyof typeof members, unknown]>([
  ['head', 7],
  ['head', -1],
  ['head', null],
  ['first', 0],
  ['last', 7],
])('a range takes %j of %j', (member, body) => {
  expect(given(member, body)).toBe(body);
});

test.each<[keyof typeof members, unknown, string]>([
  ['head', Number.NaN, 'NaN'],
  ['head', undefined, 'undefined'],
  ['head', '7', '"7"'],
  ['head', 7.5, '7.5'],
  ['head', 7n, '7'],
  ['first', '0', '"0"'],
  ['first', null, 'null'],
  ['last', undefined, 'undefined'],
])('a range refuses as %s, %s, which would read nothing or go astray', (member, body, shown) => {
  expect(() => given(member, body)).toThrow(
    `heights: "${member}" must return a whole number, not ${shown}: read it by wholeNumberOf(body, '…')`,
  );
});
