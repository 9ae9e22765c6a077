import { expect, test } from 'vitest';
import { firstIndex, holdsContainer, readContainers } from '../../../pipelines/node/readContainers.ts';
import { FirnError } from '../../../src/core/firnError.ts';
import { answer, type Fetch } from '../../../src/run/sources/drive.ts';

type Params = { readonly index: number; readonly startIndex: number; readonly numToFetch: number };

/** An index that says this to a question; an error is thrown. */
const index =
  (say: (params: Params, method: string) => unknown): Fetch =>
  async (request) => {
    if (request.kind !== 'rpc') throw new TypeError('Only single calls are expected.');
    const body = say(request.call.params as Params, request.call.method);
    if (body instanceof FirnError) throw body;
    return { body } as Awaited<ReturnType<Fetch>>;
  };

const path = '/ext/index/P/block';
const missing = new FirnError('refused', 'nothing there', { context: { rpcMessage: 'no container at index 5' } });
const at = (place: number) => ({ index: String(place) });

test('the first container of an incomplete index is found wherever it lies', async () => {
  const head = 20;
  for (let begin = 0; begin <= head; begin++) {
    const node = index(({ index: asked }) => (asked < begin ? missing : at(asked)));
    expect(await answer(firstIndex(path, head), node)).toBe(begin);
  }
});

test.each<[string, unknown, unknown, unknown]>([
  ['where it was', at(5), missing, true],
  ['in several places', at(4), { id: 'x' }, true],
  ['known to another node', missing, { id: 'x' }, true],
  ['elsewhere, and another one in its place', at(4), { id: 'y' }, false],
  ['elsewhere, and none in its place', at(4), missing, false],
  ['gone, and another one in its place', missing, { id: 'y' }, false],
  ['gone, and none in its place', missing, missing, 'unavailable'],
])('a container that was read is %s', async (_, place, there, wanted) => {
  const node = index((_params, method) => (method === 'index.getIndex' ? place : there));
  const held = answer(holdsContainer(path, 'x', 5), node).catch(({ code }: FirnError) => code);
  expect(await held).toBe(wanted);
});

test.each<[string, readonly number[], number]>([
  ['that have nothing now and then are asked again', [0, 2, 0, 2, 0, 2], 6],
  ['that have nothing twice are left', [2, 0, 0, 2, 2], 2],
])('answers %s', async (_, sizes, wanted) => {
  let asked = 0;
  const node = index(({ startIndex }) => ({
    containers: Array.from({ length: sizes[asked++] ?? 0 }, (_item, i) => at(startIndex + i)),
  }));
  const how = { allowIncomplete: false, state: { most: 1024 } };
  const read = await answer(readContainers(path, 0, 5, how), node);
  expect(read.map((one) => one.number('index'))).toEqual(Array.from({ length: wanted }, (_item, i) => i));
});

test('of an incomplete index each container is taken once, in order', async () => {
  const node = index(() => ({ containers: [1, 2, 2, 1, 4, 9].map(at) }));
  const how = { allowIncomplete: true, state: { most: 1024 } };
  const read = await answer(readContainers(path, 0, 4, how), node);
  expect(read.map((one) => one.number('index'))).toEqual([1, 2, 4]);
});

test.each([
  ['the most that it gives', 'numToFetch must be in [1,3] but is 5', [5, 3, 2]],
  ['more than it was asked for', 'numToFetch must be in [1,1024] but is 5', [5, 2, 2, 1]],
  ['nothing', 'too many containers', [5, 2, 2, 1]],
])('an index that refuses a range and names %s is asked for less', async (_, rpcMessage, sizes) => {
  const refusal = new FirnError('refused', rpcMessage, { context: { rpcMessage } });
  const asked: number[] = [];
  const node = index(({ startIndex, numToFetch }) => {
    asked.push(numToFetch);
    if (numToFetch > 3) return refusal;
    return { containers: Array.from({ length: numToFetch }, (_item, i) => at(startIndex + i)) };
  });
  const how = { allowIncomplete: false, state: { most: 1024 } };
  expect(await answer(readContainers(path, 0, 4, how), node)).toHaveLength(5);
  expect(asked).toEqual(sizes);
});
