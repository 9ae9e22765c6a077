import { expect, test } from 'vitest';
import { catalogue } from '../../../pipelines/index.ts';
import type { Lease } from '../../../src/cluster/contract.ts';
import { lakeTables } from '../../../src/cluster/engine/lakeTables.ts';
import { askLakeAgain } from '../../../src/cluster/worker/askLakeAgain.ts';
import type { LeaseContext } from '../../../src/cluster/worker/leaseContext.ts';
import type { RangeStream } from '../../../src/core/stream/stream.ts';
import type { ReadContext } from '../../../src/run/read/partitionContext.ts';

test('what fails while it asks again is not asked at every look, but an hour later', async () => {
  const stream = catalogue.find(({ id }) => id === 'node/evm_blocks') as RangeStream;
  let [looks, now] = [0, 1];
  const engine = {
    async ensureTable() {
      looks++;
      throw new Error('it is down');
    },
  };
  const reading = {
    ledger: { standsAt: async () => ({ partFrom: null }) },
    lake: { engine, tables: lakeTables([stream]) },
    replacing: { isOn: false, without: [] },
    askedAgain: new Map(),
  } as unknown as LeaseContext;
  const partition = { values: { chain_id: '43112' }, settings: { traces: true } };
  const context = { partition, now: () => now } as unknown as ReadContext;
  const look = () => askLakeAgain(stream, context, { cursor: { next: 5 } } as unknown as Lease, reading);
  await expect(look()).rejects.toThrow('it is down');
  await look();
  expect(looks).toBe(1);
  now += 3_600_000;
  await expect(look()).rejects.toThrow('it is down');
});
