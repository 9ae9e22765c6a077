import { expect, test } from 'vitest';
import { stakingTransactions } from '../../../pipelines/data-api/stakingTransactions.ts';
import type { Partition } from '../../../src/core/stream/partition.ts';
import { toBech32 } from '../../../src/decode/bytes/address.ts';
import { drivePages } from '../../run/read/drivePages.ts';

const network = { networkId: 5, network: 'fuji', hrp: 'fuji', chains: [] };
const addresses = [toBech32(new Uint8Array(20), 'fuji')];
const [first, last] = ['2026-01-20', '2026-01-21'].map((day) => Date.parse(day) / 1000) as [number, number];
const times = [first - 2, first - 1, first, first + 1, last - 1, last, last + 1];

test.each<[boolean, boolean, object, readonly number[]]>([
  [false, false, { from: '2026-01-20', to: '2026-01-21' }, [first, first + 1, last - 1]],
  [true, true, { from: '2026-01-20', to: '2026-01-21' }, [first, first + 1, last - 1]],
  [false, true, { to: '2026-01-20' }, [first - 2, first - 1]],
  [true, false, { from: '2026-01-21' }, [last, last + 1]],
  [false, false, {}, times],
])(
  'staking keeps to its dates where the service takes the start (%s) and the end (%s) itself: %j',
  async (startInclusive, endInclusive, dates, wanted) => {
    const given = stakingTransactions.parameters.parse({ addresses, ...dates }) as never;
    const partition = stakingTransactions.partitions(given, network)[0] as Partition;
    const pages = stakingTransactions.pages(partition as never);
    const { page } = await drivePages(stakingTransactions as never, partition, pages, async (request) => {
      const { startTimestamp, endTimestamp } = (request.kind === 'get' && request.query) || {};
      const start = Number(startTimestamp ?? 0) + (startInclusive ? 0 : 1);
      const end = Number(endTimestamp ?? Number.POSITIVE_INFINITY) + (endInclusive ? 1 : 0);
      const transactions = times
        .filter((time) => time >= start && time < end)
        .map((blockTimestamp) => ({ txHash: `t${blockTimestamp}`, blockTimestamp }));
      return { body: { transactions }, fetchedAt: 0, bytes: 0 };
    });
    expect(page.set.own.toObjects().map((row) => row['tx_hash'])).toEqual(wanted.map((time) => `t${time}`));
  },
);
