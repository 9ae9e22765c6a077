import { expect, test } from 'vitest';
import { changedGroups, noteGroups } from '../../../src/cluster/worker/changedGroups.ts';
import { type PagedStream, tablesOf } from '../../../src/core/stream/stream.ts';
import { prepareBatch, writeBatch } from '../../../src/load/commit/commit.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';
import { batchOf, callsStream, partition } from '../../load/transfers.ts';

test('all that is left of the rows of a key goes into the lake, also where a batch only took some away', async () => {
  const stream = callsStream() as PagedStream;
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  const changedBy = (...callees: string[]) =>
    warehouse.transaction(async (tx) => {
      await noteGroups(tx, stream);
      const raws = callees.map((to) => ({ height: 1, to, value: '1' }));
      const batch = prepareBatch(stream, partition, batchOf(stream, raws));
      const { loadId } = await writeBatch(tx, { stream, partition, runId: 'run', batch, from: null, to: null });
      const isChanged = (await changedGroups(tx, stream, loadId))(stream.table);
      return tx.query(`SELECT "to", "position" FROM ${stream.table.name} WHERE ${isChanged} ORDER BY ALL`);
    });
  expect((await changedBy('a', 'a', 'a', 'b')).length).toBe(4);
  expect(await changedBy('a', 'a', 'b')).toEqual([
    { to: 'a', position: 0 },
    { to: 'a', position: 1 },
  ]);
});
