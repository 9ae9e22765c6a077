import { expect, test } from 'vitest';
import { tablesOf } from '../../../src/core/stream/stream.ts';
import { readRange } from '../../../src/run/read/readRange.ts';
import type { Fetch } from '../../../src/run/sources/drive.ts';
import { backfillPartition } from '../../../src/run/upkeep/backfillPartition.ts';
import { resetStream } from '../../../src/run/upkeep/resetStream.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';
import { span } from '../../span.ts';
import { createChain, fetchOf, heightsStream, partitionOf } from '../read/heightsStream.ts';
import { readContext } from '../read/readContext.ts';

/** Blocks from 20 to 29 are read, and of those below, down to 10, the lowest four: a backfill was interrupted. */
async function interrupted() {
  const warehouse = await temporaryWarehouse(tablesOf([heightsStream]));
  const chain = createChain(29);
  const context = (fetch: Fetch) => readContext(warehouse, heightsStream, partitionOf({ from: 20 }), fetch);
  const failing: Fetch = async (request) => {
    if ('path' in request && request.path === '14..17') throw new Error('down');
    return fetchOf(chain)(request);
  };
  await readRange(heightsStream, context(fetchOf(chain)));
  const backfill = (fetch = fetchOf(chain)) => backfillPartition(heightsStream, context(fetch), { from: '10' });
  await expect(backfill(failing)).rejects.toThrow('down');
  return {
    warehouse,
    sync: () => readRange(heightsStream, context(fetchOf(chain))),
    backfill,
    reset: (partition?: string) => resetStream(warehouse, [heightsStream], heightsStream.id, partition),
  };
}

test.each([
  ['a stream', undefined],
  ['a partition', 'all'],
])('a reset of %s forgets no backfill that is under way: it goes on', async (_, partition) => {
  const { warehouse, sync, backfill, reset } = await interrupted();
  const all = { stream: heightsStream.id, backfills: [{ partition: 'all', asked: '10' }] };
  expect(await reset(partition)).toEqual({ ...all, partitions: ['all'] });
  // How far it was read is not known until a sync has read it again.
  await expect(backfill()).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('firn sync') });
  await sync();
  await backfill();
  const rows = await warehouse.query<{ height: bigint }>('SELECT height FROM raw.node_heights ORDER BY 1');
  expect(rows.map(({ height }) => Number(height))).toEqual(span(10, 30));
});

test('a reset of nothing but a backfill says how it goes on; days that are read again are forgotten', async () => {
  const { warehouse, reset } = await interrupted();
  const goesOn = { code: 'usage', message: expect.stringContaining('"firn backfill node/heights --from 10" goes on.') };
  await expect(reset('all|backfill')).rejects.toMatchObject(goesOn);
  const again = 'all|again 2026-01-01..2026-01-02';
  for (const [partition, forgotten] of [
    ['all', ['all', again]],
    [undefined, [again]],
  ] as const) {
    await warehouse.run(`INSERT INTO firn.checkpoint VALUES ('node/heights', '${again}', '{}', 1, now()::TIMESTAMP)`);
    expect((await reset(partition)).partitions.toSorted()).toEqual(forgotten);
  }
  for (const partition of [undefined, 'all']) await expect(reset(partition)).rejects.toMatchObject(goesOn);
  await expect(reset('other')).rejects.toMatchObject({ code: 'not_found' });
});

test('a reset of a stream that looks keys up forgets which it has, and speaks of no other stream', async () => {
  const { warehouse } = await interrupted();
  const other = { ...heightsStream, id: 'node/other' };
  await warehouse.run("INSERT INTO firn.lookup VALUES ('node/other', 'all', 'key', 'found', 1)");
  const reset = () => resetStream(warehouse, [heightsStream, other], other.id);
  expect(await reset()).toEqual({ stream: other.id, partitions: ['all'], backfills: [] });
  expect(await warehouse.query('FROM firn.lookup')).toEqual([]);
  await expect(reset()).rejects.toMatchObject({ code: 'not_found' });
});
