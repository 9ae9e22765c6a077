import { expect, test } from 'vitest';
import { z } from 'zod';
import { type RangeStream, tablesOf } from '../../../src/core/stream/stream.ts';
import { throwIfAborted } from '../../../src/extract/interruption.ts';
import { type Asking, defineStream, int64, RawValue, text } from '../../../src/index.ts';
import { askAgain } from '../../../src/run/read/askAgain.ts';
import type { ReadContext } from '../../../src/run/read/partitionContext.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';
import { partitionOf } from './heightsStream.ts';
import { readContext } from './readContext.ts';

const source = { name: 'node', description: 'A source of tests.', numbers: 'lossless' } as const;
const part = z.object({ said: text('Whether it was told.') });

function* ask(path: string): Asking<unknown> {
  return (yield { kind: 'get', path, weight: 1 }).body;
}

/** Blocks of two parts, either of which a source may fail to tell. */
const stream = defineStream(source, {
  name: 'told',
  description: 'Blocks of tests.',
  endpoint: 'GET /blocks',
  parameters: z.strictObject({}),
  partitions: () => [partitionOf()],
  schema: z.object({ height: int64('Height.'), id: text('Name.'), parts: z.array(part) }),
  children: { parts: { description: 'Parts of tests.', schema: part, key: ['position'], of: 'parts' } },
  keeps: { told: 'parts', column: 'said', is: 'told', again: 'failed', with: 'parts', sameBy: 'id' },
  key: ['height'],
  range: 'height',
  way: 'range',
  position: 'height',
  size: 1,
  ahead: 1,
  head: () => ask('head') as Asking<number>,
  first: () => ask('first') as Asking<number>,
  timeAt: () => ask('time') as Asking<number>,
  holds: () => ask('holds') as Asking<boolean>,
  *read(_, from) {
    return ((yield* ask(String(from))) as object[]).map((block) => RawValue.from(block));
  },
}) as RangeStream;

test.each([
  ['more of it is taken where it is added to what is held', false, ['told', 'failed'], true],
  ['a part is not taken where it would replace what is held', true, ['told', 'failed'], false],
  ['all of it is taken there', true, ['told', 'told'], true],
  ['no more than there was is taken nowhere', false, ['failed', 'failed'], false],
])('%s', async (_, replaces, said, isTaken) => {
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  await warehouse.run(`INSERT INTO firn.checkpoint VALUES ('node/told', 'all', '{"next":1}', 0, now()::TIMESTAMP)`);
  const answer = [{ height: 0, id: 'a', parts: said.map((one) => ({ said: one })) }];
  const context = readContext(warehouse, stream, partitionOf(), async () => ({ body: answer, bytes: 1, fetchedAt: 1 }));
  await askAgain(
    stream,
    context,
    { next: 1 },
    {
      lacking: async () => [{ at: 0n, there: 0n, asked: null }],
      rowsAt: async (_stream, _context, at) => (at.includes(0) ? [{ height: 0n, id: 'a' }] : []),
      replaces,
    },
  );
  const rows = await warehouse.query('SELECT said FROM raw.node_parts ORDER BY "position"');
  expect(rows.map((row) => row['said'])).toEqual(isTaken ? said : []);
});

test('a position that was asked for before an interruption, but not as often as it is to be, is not noted', async () => {
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  await warehouse.run(`INSERT INTO firn.checkpoint VALUES ('node/told', 'all', '{"next":1}', 0, now()::TIMESTAMP)`);
  const interruption = new AbortController();
  const answer = [{ height: 0, id: 'a', parts: [{ said: 'failed' }] }];
  const fetch = async () => {
    throwIfAborted(interruption.signal);
    interruption.abort();
    return { body: answer, bytes: 1, fetchedAt: 1 };
  };
  const context = readContext(warehouse, stream, partitionOf(), fetch, { signal: interruption.signal });
  const held = {
    lacking: async () => [{ at: 0n, there: 0n, asked: null }],
    rowsAt: async (_stream: RangeStream, _context: ReadContext, at: readonly number[]) =>
      at.includes(0) ? [{ height: 0n, id: 'a' }] : [],
    replaces: false,
  };
  await expect(askAgain(stream, context, { next: 1 }, held)).rejects.toMatchObject({ code: 'interrupted' });
  expect(await warehouse.query('SELECT * FROM firn.lookup')).toEqual([]);
});
