import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Ledger } from '../../../src/cluster/contract.ts';
import type { Fetch } from '../../../src/run/sources/drive.ts';
import { fetchOf } from '../../run/read/heightsStream.ts';
import { heightsCluster } from './heightsCluster.ts';

test('a batch is written once the one before it is committed, while the next one gathers', async () => {
  const { run, chain, heights, ledger } = await heightsCluster();
  const fetch = fetchOf(chain);
  // Each answer fills a batch.
  const large: Fetch = async (request) => ({ ...(await fetch(request)), bytes: 40e6 });
  const underWay: number[] = [];
  let sending = 0;
  const slow: Ledger = {
    ...ledger,
    nextBatch() {
      underWay.push(sending);
      return ledger.nextBatch();
    },
    async commit(...given) {
      sending++;
      await sleep(300);
      return ledger.commit(...given).finally(() => sending--);
    },
  };
  await run({ ledger: slow, fetch: { node: large } });
  expect(await heights()).toHaveLength(30);
  expect(underWay.length).toBeGreaterThan(6);
  expect(Math.max(...underWay)).toBe(0);
});
