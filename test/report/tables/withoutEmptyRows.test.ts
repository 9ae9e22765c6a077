import { expect, test } from 'vitest';
import { withoutEmptyRows } from '../../../src/report/tables/withoutEmptyRows.ts';

test.each([
  ['c=number&o=has&v=&sort=', 'sort='],
  ['c=hash&o=eq&v=&c=number&o=ge&v=7&c=number&o=has&v=', 'c=number&o=ge&v=7'],
  ['c=hash&o=null&v=&column=hash', 'column=hash&c=hash&o=null&v='],
  ['c=hash&o=like&v=', 'c=hash&o=like&v='],
])('%s asks %s', (sent, asked) => {
  expect(withoutEmptyRows(new URLSearchParams(sent)).toString()).toBe(asked);
});
