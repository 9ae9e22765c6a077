import { expect, test } from 'vitest';
import { requestTarget } from '../../../src/extract/http/requestTarget.ts';

test.each([
  ['http://host', '/v1/x', {}, '/v1/x'],
  ['http://host/', 'v1/x', {}, '/v1/x'],
  ['http://host/base/', '/v1/x', {}, '/base/v1/x'],
  ['http://host/ext/bc/C/rpc', '', {}, '/ext/bc/C/rpc'],
  ['http://host/rpc/?apikey=k', '', {}, '/rpc/?apikey=k'],
  ['http://host?apikey=k', '/x', { a: 1, b: undefined, c: false, d: 'A,B' }, '/x?apikey=k&a=1&c=false&d=A%2CB'],
  ['http://host', '/x', { a: null, b: 'null' }, '/x?b=null'],
  ['http://host?a=0', '/x', { a: ['A', 'B,C'], b: [] }, '/x?a=A&a=B%2CC'],
  ['http://host', '/x/é y', {}, '/x/%C3%A9%20y'],
  ['http://host', '/x/a?b#c%20d', {}, '/x/a%3Fb%23c%20d'],
])('%s with %s and %j', (base, path, query, target) => {
  expect(requestTarget(new URL(base), path, query)).toBe(target);
});
