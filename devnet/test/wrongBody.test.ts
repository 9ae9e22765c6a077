import { expect, test } from 'vitest';
import { wrongBody } from '../src/wrongBody.ts';

test.each([
  ['a page', '', 0, '{"message":"maintenance"}'],
  ['a page', '', 0.99, '[]'],
  ['a request with a body of its own', '{"addresses":"x"}', 0.2, '{}'],
  ['a call', '{"jsonrpc":"2.0","id":5,"method":"x"}', 0.4, '{"jsonrpc":"2.0","id":5,"result":7}'],
  [
    'a batch',
    '[{"jsonrpc":"2.0","id":1,"method":"x"},{"jsonrpc":"2.0","id":"b","method":"y"}]',
    0.2,
    '[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":"b","result":{}}]',
  ],
])('the wrong body of %s is JSON of the right protocol', (_, asked, number, body) => {
  expect(wrongBody(asked, number)).toBe(body);
});
