import { expect, test } from 'vitest';
import { FirnError } from '../../../src/core/firnError.ts';
import { partitionKey } from '../../../src/core/stream/partition.ts';
import { tablesOf } from '../../../src/core/stream/stream.ts';
import { commitBatch } from '../../../src/load/commit/commit.ts';
import { offeredBefore } from '../../../src/run/read/offeredBefore.ts';
import { dropStream } from '../../../src/run/upkeep/dropStream.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';
import { batchOf, partition, transfer, transfersStream } from '../../load/transfers.ts';

const answered = new FirnError('not_offered', 'POST /ext answered 404.', { context: { status: 404 } });
const known = new FirnError('not_offered', 'Subnet x has no supply: it is an L1.');

test('what was read before is missed where an answer says that it is not offered, and only then', async () => {
  const warehouse = await temporaryWarehouse([]);
  await warehouse.run(`INSERT INTO firn.checkpoint VALUES ('node/s', 'a', '{}', 1, TIMESTAMP '2026-02-03 04:05:06')`);
  const gone = (partition: string, cause: FirnError) => offeredBefore(warehouse, 'node/s', partition, cause);
  expect(await gone('a', answered)).toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(
      /^This was read until 2026-02-03 04:05 UTC and is not offered any more: .* answered 404\.$/,
    ),
  });
  expect(await gone('b', answered)).toBeUndefined();
  expect(await gone('a', known)).toBeUndefined();
});

test('what was dropped is not missed, though its loads stay', async () => {
  const stream = transfersStream();
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  const batch = batchOf(stream, [transfer(1)]);
  await commitBatch(warehouse, { stream, partition, runId: 'run', batch, from: null, to: { next: 2 } });
  const gone = () => offeredBefore(warehouse, stream.id, partitionKey(partition), answered);
  expect(await gone()).toMatchObject({ code: 'unavailable' });
  await dropStream(warehouse, [stream], stream.id);
  expect(await gone()).toBeUndefined();
});
