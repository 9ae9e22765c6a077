import { expect, test } from 'vitest';
import { type ErrorCode, FirnError } from '../../../src/core/firnError.ts';
import { RawValue } from '../../../src/core/json/rawValue.ts';
import { type Partition, partitionKey } from '../../../src/core/stream/partition.ts';
import { tablesOf } from '../../../src/core/stream/stream.ts';
import { readLookup } from '../../../src/run/read/readLookup.ts';
import type { Fetch } from '../../../src/run/sources/drive.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';
import { rowsThrough } from '../../rowsThrough.ts';
import { detailsOf, get, keys } from './detailsStream.ts';
import { readContext } from './readContext.ts';

/** What comes of a request for a key, unless it is found. */
type Said = ErrorCode | 'moved' | 'no such key' | 'no such method' | 'unreadable' | 'nothing' | 'no JSON';

/** Reads once for each of `runs`, which say what becomes of keys; gives what is durable behind the last. */
async function reading(
  count: number,
  runs: readonly Readonly<Record<string, Said>>[],
  { budget = 1000, stopAt = '' } = {},
) {
  const stream = detailsOf(count);
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  let asked: string[] = [];
  let outcome = '';
  for (const [run, said] of runs.entries()) {
    asked = [];
    const stop = new AbortController();
    const fetch: Fetch = async ({ path }) => {
      asked.push(path);
      if (path === stopAt && run === 0) stop.abort();
      const is = said[path];
      const answers: readonly (Said | undefined)[] = [undefined, 'unreadable', 'nothing', 'no JSON'];
      if (is === 'moved') throw new FirnError('refused', `${path}: ${is}`, { context: { status: 302 } });
      if (is === 'no such key') throw new FirnError('not_found', `${path}: ${is}`, { context: { rpcCode: -32000 } });
      if (is === 'no such method') throw new FirnError('refused', `${path}: ${is}`, { context: { rpcCode: -32601 } });
      if (!answers.includes(is)) throw new FirnError(is as ErrorCode, `${path}: ${is}`, { context: { status: 404 } });
      const item = is === 'no JSON' ? new RawValue(Buffer.from('{no JSON')) : { name: path, size: is ? 'large' : 1 };
      const items = is === 'nothing' ? [] : [item];
      return { body: { items }, bytes: 1, fetchedAt: 1 };
    };
    const context = readContext(warehouse, stream, { values: {}, budget }, fetch, { signal: stop.signal });
    outcome = await readLookup(stream, context).then(
      () => 'done',
      (error: Error) => error.message,
    );
  }
  const rows = await warehouse.query<{ name: string }>('SELECT name FROM raw.data_details ORDER BY 1');
  const noted = await warehouse.query<{ key: string; outcome: string }>(
    'SELECT "key", outcome FROM firn.lookup ORDER BY 1',
  );
  const [aside] = await warehouse.query<{ n: number }>('SELECT count(*)::INTEGER AS n FROM firn.quarantine');
  return {
    outcome,
    asked,
    rows: rows.map(({ name }) => name),
    noted: Object.fromEntries(noted.map(({ key, outcome: of }) => [key, of])),
    aside: aside?.n,
  };
}

const found = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 'found']));
const [ten, eleven, twelve] = keys(3) as [string, string, string];

test('each key is asked for once, as far as the budget goes', { tags: 'long' }, async () => {
  const all = keys(20);
  expect(await reading(20, [{}], { budget: 12 })).toMatchObject({ asked: all.slice(0, 12), rows: all.slice(0, 12) });
  expect(await reading(20, [{}, {}, {}], { budget: 12 })).toEqual({
    outcome: 'done',
    asked: [],
    rows: all,
    noted: found(all),
    aside: 0,
  });
});

test('keys that the budget leaves are counted', async () => {
  const stream = detailsOf(20);
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  const fetch: Fetch = async ({ path }) => ({ body: { items: [{ name: path, size: 1 }] }, bytes: 1, fetchedAt: 1 });
  const lefts: number[] = [];
  for (let run = 0; run < 3; run++) {
    let left = 0;
    const context = readContext(warehouse, stream, { values: {}, budget: 12 }, fetch);
    await readLookup(stream, { ...context, progress: (done, total) => (left = Number(total) - done) });
    lefts.push(left);
  }
  expect(lefts).toEqual([8, 0, 0]);
});

test('keys that earlier runs asked for are left out before they are made distinct', async () => {
  const stream = detailsOf(2000);
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  await warehouse.run(`INSERT INTO firn.lookup SELECT '${stream.id}', '${partitionKey({ values: {} })}', "key", 'found', 1
    FROM (${stream.keys({ values: {} })}) WHERE "key" <> '${ten}'`);
  const asked: string[] = [];
  const fetch: Fetch = async ({ path }) => {
    asked.push(path);
    return { body: { items: [{ name: path, size: 1 }] }, bytes: 1, fetchedAt: 1 };
  };
  const through = await rowsThrough(warehouse, (source) =>
    readLookup(stream, readContext({ ...warehouse, ...source }, stream, { values: {} }, fetch)),
  );
  expect(asked).toEqual([ten]);
  const distinct = through.filter(({ name }) => name.includes('GROUP_BY')).map(({ rows }) => rows);
  expect(Math.max(...distinct)).toBe(1);
});

test('no keys ask nothing', async () => {
  const stream = { ...detailsOf(1), keys: () => `SELECT NULL AS "key"` };
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  const fetch: Fetch = async () => {
    throw new TypeError('nothing is asked for');
  };
  const context = readContext(warehouse, stream, { values: {} }, fetch);
  await readLookup(stream, context);
  expect(context.done).toEqual([]);
});

test('a key whose record cannot be read is not asked for again: that is in quarantine', async () => {
  const wanted = { rows: [ten, twelve], noted: found([ten, eleven, twelve]), aside: 1 };
  expect(await reading(3, [{ [eleven]: 'unreadable' }, {}])).toEqual({ outcome: 'done', asked: [], ...wanted });
});

test.each<Said>(['not_found', 'refused', 'nothing'])(
  'a key about which there is nothing (%s) is asked for once more, in another run and behind those that are new',
  { tags: 'long' },
  async (said) => {
    const first = await reading(3, [{ [eleven]: said }]);
    expect(first).toMatchObject({ rows: [ten, twelve], noted: { ...found([ten, twelve]), [eleven]: 'unconfirmed' } });
    // The node that answered was behind.
    const late = await reading(4, [{ [eleven]: said }, {}, {}], { budget: 3 });
    expect(late).toMatchObject({ outcome: 'done', asked: [], rows: keys(4), noted: found(keys(4)) });
    expect(await reading(4, [{ [eleven]: said }, {}], { budget: 3 })).toMatchObject({ asked: ['k13', eleven] });
    const never = await reading(3, [{ [eleven]: said }, { [eleven]: said }, {}]);
    const noted = { ...found([ten, twelve]), [eleven]: said === 'nothing' ? 'found' : said };
    expect(never).toEqual({ outcome: 'done', asked: [], rows: [ten, twelve], noted, aside: 0 });
  },
);

test.each<Said>(['refused', 'not_found', 'no such method'])(
  'where every key is %s the source is at fault: none is noted, and all are asked for again',
  async (code) => {
    const none = Object.fromEntries(keys(3).map((key) => [key, code]));
    const first = await reading(3, [none]);
    const outcome = expect.stringMatching(new RegExp(`^${ten}: ${code} No key that was asked for was answered`));
    expect(first).toEqual({ outcome, asked: keys(3), rows: [], noted: {}, aside: 0 });
    expect(await reading(3, [none, {}])).toMatchObject({ outcome: 'done', asked: keys(3), rows: keys(3) });
  },
);

test.each<ErrorCode>(['refused', 'not_found'])(
  'a key that is %s alone is noted where one that was found before still is',
  async (code) => {
    // With a budget of one each run asks for one key.
    const alone = { [eleven]: code };
    const noted = { [ten]: 'found', [eleven]: 'unconfirmed' };
    const answered = await reading(2, [{}, alone], { budget: 1 });
    expect(answered).toMatchObject({ outcome: 'done', asked: [eleven, ten], rows: [ten], noted });
    const later = await reading(3, [{}, alone, { ...alone, [twelve]: code }], { budget: 1 });
    expect(later).toMatchObject({ outcome: 'done', asked: [twelve, ten] });
    const gone = await reading(2, [{}, { ...alone, [ten]: code }], { budget: 1 });
    const outcome = expect.stringMatching(/nor one that was found before/);
    expect(gone).toEqual({ outcome, asked: [eleven, ten], rows: [ten], noted: found([ten]), aside: 0 });
  },
);

test('keys of which a server of JSON-RPC says that they are not there are noted, though it has none of them', async () => {
  const none = Object.fromEntries(keys(3).map((key) => [key, 'no such key' as const]));
  const noted = Object.fromEntries(keys(3).map((key) => [key, 'not_found']));
  expect(await reading(3, [none, none, {}])).toMatchObject({ outcome: 'done', asked: [], noted });
});

test('a key of another chain alone is noted where the source still has it there, and nothing else is', async () => {
  const stream = {
    ...detailsOf(3),
    request: (path: string, { values }: Partition) => get(`${values['chain_id']}/${path}`),
  };
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  const noted = async (chain_id: string, there: readonly string[]) => {
    const fetch: Fetch = async ({ path }) => {
      if (!there.includes(path)) throw new FirnError('not_found', `${path} is not there.`);
      return { body: { items: [{ name: path, size: 1 }] }, bytes: 1, fetchedAt: 1 };
    };
    const outcome = await readLookup(stream, readContext(warehouse, stream, { values: { chain_id } }, fetch)).catch(
      (error: Error) => error.message,
    );
    const rows = await warehouse.query<{ key: string; outcome: string }>(
      `SELECT "key", outcome FROM firn.lookup WHERE "partition" = $1 ORDER BY 1`,
      [`chain_id=${chain_id}`],
    );
    return [outcome, Object.fromEntries(rows.map(({ key, outcome: of }) => [key, of]))];
  };
  const nothing = expect.stringMatching(/^2\/k10 is not there\. No key that was asked for was answered/);
  expect(await noted('2', [])).toEqual([nothing, {}]);
  await noted('1', [`1/${ten}`, `1/${eleven}`]);
  // Behind a URL that is wrong by now.
  expect(await noted('2', [])).toEqual([nothing, {}]);
  const only = expect.stringMatching(/^2\/k12 is not there\. No key that was asked for was answered/);
  const there = [`1/${ten}`, `1/${eleven}`];
  expect(await noted('2', there)).toEqual([only, { [ten]: 'unconfirmed', [eleven]: 'unconfirmed' }]);
  expect(await noted('2', there)).toEqual([only, { [ten]: 'not_found', [eleven]: 'not_found' }]);
  expect(await noted('2', [...there, `2/${twelve}`])).toEqual([
    undefined,
    { [ten]: 'not_found', [eleven]: 'not_found', [twelve]: 'found' },
  ]);
  // Whether the source answers here is told by what was found here.
  expect(await noted('1', there)).toEqual([undefined, { ...found([ten, eleven]), [twelve]: 'not_found' }]);
});

test.each<Said>(['unavailable', 'contract', 'failed', 'moved'])(
  'a key that fails (%s) keeps no other from being asked for, and is asked for again',
  async (code) => {
    const others = keys(20).filter((key) => key !== ten);
    const broken = await reading(20, [{ [ten]: code }]);
    expect(broken).toMatchObject({ outcome: `${ten}: ${code}`, rows: others });
    expect(broken.noted).toEqual(found(others));
    expect(await reading(20, [{ [ten]: code }, {}])).toMatchObject({ outcome: 'done', asked: [ten], rows: keys(20) });
  },
);

test('a key whose record is no JSON keeps no other from being read', { tags: 'long' }, async () => {
  const others = keys(20).filter((key) => key !== ten);
  const broken = await reading(20, [{ [ten]: 'no JSON' }]);
  expect(broken).toMatchObject({ rows: others, aside: 0 });
  expect(broken.noted).toEqual(found(others));
  expect(broken.outcome).not.toBe('done');
  expect(await reading(20, [{ [ten]: 'no JSON' }, {}])).toMatchObject({
    outcome: 'done',
    asked: [ten],
    rows: keys(20),
  });
});

test('where eight keys fail together no more are asked for', async () => {
  const failing = Object.fromEntries(keys(8).map((key) => [key, 'unavailable' as const]));
  const outcome = `${ten}: unavailable`;
  expect(await reading(20, [failing])).toEqual({ outcome, asked: keys(8), rows: [], noted: {}, aside: 0 });
});

test('where eight keys fail together, the others are asked for if one that was found still is', async () => {
  const [before, failing, others] = [keys(12), keys(20).slice(12), keys(24).slice(20)];
  const broken = Object.fromEntries(failing.map((key) => [key, 'unavailable' as const]));
  const after = await reading(24, [{}, broken], { budget: 12 });
  expect(after).toMatchObject({ outcome: `${failing[0]}: unavailable`, rows: [...before, ...others] });
});

test.each<ErrorCode>(['interrupted', 'unauthorized', 'rate_limited'])(
  'an error in the middle (%s) leaves what was answered before and beside it; the next run asks for the rest, and no key twice',
  { tags: 'long' },
  async (code) => {
    // Eight are asked for at once: the error is one of the second eight.
    const failing = { k21: code, k23: 'not_found' } as const;
    const rows = keys(16).filter((key) => !(key in failing));
    const broken = await reading(20, [failing]);
    expect(broken).toMatchObject({ outcome: `k21: ${code}`, asked: keys(16), rows });
    expect(broken.noted).toEqual({ ...found(rows), k23: 'unconfirmed' });
    const again = await reading(20, [failing, {}]);
    expect(again).toMatchObject({ outcome: 'done', rows: keys(20), noted: found(keys(20)) });
    expect(again.asked).toEqual(['k21', ...keys(20).slice(16), 'k23']);
  },
);

test('the signal ends it behind the keys under way', { tags: 'long' }, async () => {
  const stopped = await reading(20, [{}], { stopAt: ten });
  expect(stopped).toMatchObject({ outcome: 'done', rows: keys(8), noted: found(keys(8)) });
  expect(await reading(20, [{}, {}], { stopAt: ten })).toMatchObject({ asked: keys(20).slice(8), rows: keys(20) });
});
