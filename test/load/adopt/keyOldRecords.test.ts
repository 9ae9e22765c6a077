import { expect, test } from 'vitest';
import { tablesOf } from '../../../src/core/stream/stream.ts';
import { keyOldRecords } from '../../../src/load/adopt/keyOldRecords.ts';
import { commitBatch } from '../../../src/load/commit/commit.ts';
import { temporaryWarehouse } from '../temporaryWarehouse.ts';
import { batchOf, partition, transfer, transfersStream } from '../transfers.ts';

test('a record that 0.1 put into quarantine leaves it when the source sends it right', async () => {
  const stream = transfersStream();
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  const read = (raws: readonly object[]) =>
    commitBatch(warehouse, { stream, partition, runId: 'run', batch: batchOf(stream, raws), from: null, to: null });
  const open = () => warehouse.query('SELECT record_key FROM firn.quarantine WHERE replayed_at IS NULL ORDER BY id');
  await read([{ ...transfer(1), value: 'much' }, { height: 'without a hash' }]);
  await warehouse.run(`UPDATE firn.quarantine SET record_key = NULL, last_seen_at = '2026-01-01'`);
  await keyOldRecords(warehouse, [stream]);
  expect(await open()).toEqual([{ record_key: `["${transfer(1).txHash}"]` }, { record_key: null }]);
  await read([transfer(1)]);
  expect(await open()).toEqual([{ record_key: null }]);
});
