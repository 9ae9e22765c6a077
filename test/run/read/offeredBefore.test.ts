import { expect, test } from 'vitest';
import { FirnError } from '../../../src/core/firnError.ts';
import { offeredBefore } from '../../../src/run/read/offeredBefore.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';

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
