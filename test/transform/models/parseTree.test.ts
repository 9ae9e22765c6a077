import { expect, test } from 'vitest';
import { parseTree } from '../../../src/transform/models/parseTree.ts';

test.each([
  ['[Infinity,-Infinity,NaN,1]', [null, null, null, 1]],
  ['{"value":Infinity,"name":"read_text"}', { value: null, name: 'read_text' }],
  ['["Infinity",Infinity]', ['Infinity', null]],
  [String.raw`["\",Infinity,\"",-Infinity,"\\",NaN]`, ['",Infinity,"', null, '\\', null]],
])('%s is read', (json, tree) => {
  expect(parseTree(json)).toEqual(tree);
});

test('what is no JSON is refused', () => {
  expect(() => parseTree('[infinitely]')).toThrow(SyntaxError);
});
