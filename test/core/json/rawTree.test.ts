import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rawTree } from '../../../src/core/json/rawTree.ts';
import { RawValue } from '../../../src/core/json/rawValue.ts';

interface Tree {
  readonly [member: string]: unknown;
  readonly calls?: readonly Tree[];
}

/** JSON of trees: members before, behind and without the list, spaces anywhere, brackets and quotes in texts. */
const { tree } = fc.letrec<{ tree: string; calls: string }>((tie) => ({
  calls: fc.array(tie('tree'), { maxLength: 3 }).map((items) => `"calls" : [ ${items.join(' ,\n')} ]`),
  tree: fc
    .tuple(
      fc.array(fc.constantFrom('"type":"CALL"', '"error": "]}\\""', '"x":{"calls":[{}]}', '"y" :[1,{"calls":1}]')),
      fc.option(tie('calls'), { depthSize: 'small', nil: undefined }),
      fc.array(fc.constantFrom('"z":null', '"gas":"0x1"')),
    )
    .map(([before, calls, behind]) => `{ ${[...before, ...(calls ? [calls] : []), ...behind].join(',')}}`),
}));

function flat(root: Tree, parent = -1, found: { own: Tree; parent: number }[] = []) {
  const { calls = [], ...own } = root;
  const place = found.push({ own, parent }) - 1;
  for (const call of calls) flat(call, place, found);
  return found;
}

const rawOf = (text: string) => new RawValue(Buffer.from(`[${text}]`), 1);

test('gives every object of a tree in preorder, without those under it', () => {
  fc.assert(
    fc.property(tree, (text) => {
      const wanted = flat(JSON.parse(text));
      const nodes = rawTree(rawOf(text), 'calls', ['error']) ?? [];
      expect(nodes.map(({ value }) => value.parse())).toEqual(wanted.map(({ own }) => own));
      expect(nodes.map(({ parent }) => parent)).toEqual(wanted.map(({ parent }) => parent));
      expect(nodes.map(({ members: [error] }) => error?.parse())).toEqual(wanted.map(({ own }) => own['error']));
    }),
  );
});

test('walks a tree of 1,000 levels once', () => {
  const text = `${'{"calls":['.repeat(1_000)}${']}'.repeat(1_000)}`;
  const nodes = rawTree(rawOf(text), 'calls', []) ?? [];
  expect(nodes.map(({ parent }) => parent)).toEqual(Array.from({ length: 1_000 }, (_, i) => i - 1));
  expect(nodes.every(({ value }) => value.text() === '{}')).toBe(true);
});

test.each([
  '7',
  '[]',
  '{"calls":7}',
  '{"calls":[7]}',
  '{"calls":[{},null]}',
  '{"calls":[],"calls":[]}',
  '{"c\\u0061lls":[]}',
  '{"calls":[{}',
  '{"calls":[{}],}',
  '{"calls":[{},]}',
  '{"a":1 "b":2}',
  '{"a" 1}',
  '{"calls":[{}}',
])('leaves %s to who parses it', (text) => {
  expect(rawTree(new RawValue(Buffer.from(text)), 'calls', ['a'])).toBeUndefined();
});
