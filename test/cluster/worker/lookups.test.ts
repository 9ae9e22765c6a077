import { expect, test } from 'vitest';
import { z } from 'zod';
import { clusterText } from '../../../src/cli/text/clusterText.ts';
import { readOutcomes, readProgress } from '../../../src/cluster/ledger/readProgress.ts';
import { FirnError } from '../../../src/core/firnError.ts';
import type { LookupStream } from '../../../src/core/stream/stream.ts';
import { defineStream, int32, text } from '../../../src/index.ts';
import type { Fetch } from '../../../src/run/sources/drive.ts';
import { streamCluster } from './streamCluster.ts';

/** What comes of a request for a key. */
type Said = 'found' | 'nothing' | 'not_found';

/** A cluster that looks up the keys that some SQL names. `look` gives which were asked for, and what is noted then. */
async function lookups(keys: string, budget = 1000, chains: readonly string[] = []) {
  const stream = defineStream(
    { name: 'data', description: 'A source of tests.', numbers: 'lossless' },
    {
      name: 'details',
      description: 'Details of tests.',
      endpoint: 'GET /details',
      parameters: z.strictObject({}),
      partitionColumns: chains.length === 0 ? [] : [{ name: 'chain_id', description: 'Chain.' }],
      partitions: () =>
        chains.length === 0 ? [{ values: {}, budget }] : chains.map((chain_id) => ({ values: { chain_id }, budget })),
      schema: z.object({ name: text('Key.'), size: int32('Size.') }),
      key: chains.length === 0 ? ['name'] : ['chain_id', 'name'],
      way: 'lookup',
      keys: () => keys,
      request: (key, { values }) => ({ kind: 'get', path: [...Object.values(values), key].join('/'), weight: 1 }),
      records: 'items',
    },
  ) as LookupStream;
  const { run, control, engine } = await streamCluster(stream);
  const look = async (said: Readonly<Record<string, Said>>) => {
    const asked: string[] = [];
    const fetch: Fetch = async ({ path }) => {
      asked.push(path);
      const is = said[path] ?? 'found';
      if (is === 'not_found') throw new FirnError(is, `${path}: ${is}`);
      return { body: { items: is === 'nothing' ? [] : [{ name: path, size: 1 }] }, bytes: 1, fetchedAt: 1 };
    };
    await run({ fetch: { data: fetch } });
    const noted = await control.query<{ key: string; outcome: string }>(
      `SELECT coalesce(substring(partition from 'chain_id=(.*)') || '/', '') || key AS key, outcome FROM firn.lookup`,
    );
    const { last } = await readOutcomes(control);
    const told = clusterText(await readProgress(control));
    return { asked, noted: Object.fromEntries(noted.map(({ key, outcome }) => [key, outcome])), last: last[0], told };
  };
  return { look, engine };
}

const named = (...keys: string[]) => `SELECT unnest(['${keys.join("', '")}']) AS "key"`;

test.each<Said>(['not_found', 'nothing'])(
  'a key about which there is nothing (%s) is asked for once more, as on one machine',
  { tags: 'long' },
  async (said) => {
    const { look, engine } = await lookups(named('a', 'b'));
    expect(await look({ b: said })).toMatchObject({ asked: ['a', 'b'], noted: { a: 'found', b: 'unconfirmed' } });
    // The node that answered was behind.
    expect(await look({})).toMatchObject({ asked: ['b'], noted: { a: 'found', b: 'found' } });
    expect(await engine.query('SELECT name FROM raw.data_details ORDER BY 1')).toEqual([{ name: 'a' }, { name: 'b' }]);
    expect((await look({})).asked).toEqual([]);
  },
);

test('a key that is not there the second time either is noted so, because one that was found before still is', {
  tags: 'long',
}, async () => {
  const { look } = await lookups(named('a', 'b'));
  await look({ b: 'not_found' });
  expect(await look({ b: 'not_found' })).toMatchObject({
    asked: ['b', 'a'],
    noted: { a: 'found', b: 'not_found' },
    last: { outcome: 'done' },
  });
  expect((await look({})).asked).toEqual([]);
});

test('a key that another chain has is noted as not there, as on one machine', async () => {
  const { look } = await lookups(named('a', 'b'), 1000, ['1', '2']);
  const said = { '2/a': 'not_found', '2/b': 'not_found' } as const;
  await look(said);
  await look(said);
  const { asked, noted } = await look(said);
  expect(noted).toMatchObject({ '1/a': 'found', '1/b': 'found', '2/a': 'not_found', '2/b': 'not_found' });
  expect(asked.length).toBeLessThanOrEqual(3);
  expect((await look(said)).asked).toEqual([]);
});

test.each([1, 1000])('keys that were looked up are read, however many a budget of %i leaves', async (budget) => {
  const { look } = await lookups(named('a', 'b'), budget);
  expect((await look({})).told).toMatch(/^data\/details +all +read at \d{4}-/m);
});

test('all keys that a budget leaves are told', { tags: 'long' }, async () => {
  const { look } = await lookups(`SELECT 'k' || unnest(range(25000)) AS "key"`, 5);
  expect((await look({})).last).toMatchObject({ behind: 24_995 });
  expect((await look({})).last).toMatchObject({ behind: 24_990 });
});
