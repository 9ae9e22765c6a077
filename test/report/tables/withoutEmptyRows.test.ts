import { expect, test } from 'vitest';
import { withoutEmptyRows } from '../../../src/report/tables/withoutEmptyRows.ts';

test.each([
  ['c=number&o=has&v=&sort=', 'sort='],
  ['c=hash&o=eq&v=&c=number&o=ge&v=7&c=number&o=has&v=', 'c=number&o=ge&v=7'],
  ['c=hash&o=null&v=&column=hash', 'column=hash&c=hash&o=null&v='],
])('%s asks %s', (sent, asked) => {
  expect(withoutEmptyRows(new URLSearchParams(sent)).toString()).toBe(asked);
});

test('a filter that is no filter is refused', () => {
  expect(() => withoutEmptyRows(new URLSearchParams('c=hash&o=like&v='))).toThrow('no operator "like"');
});
