import type { Partition } from '../../../src/core/stream/partition.ts';
import type { Fetch } from '../../../src/run/sources/drive.ts';

const address = `0x${'1'.repeat(40)}`;

/** A partition of one address between two heights: partitions that differ in `to` alone have the same values. */
export const historyOf = (from: number, to: number | null): Partition => ({
  values: { chain_id: '1', address },
  ...(to !== null && { filters: { to } }),
  settings: { from: { height: from }, to, pageSize: 100 },
});

/** A data service with a transaction of every address at each height below one. */
export const transactionsBelow =
  (end: number): Fetch =>
  async (request) => {
    const { startBlock = 0, endBlock = end } = (request.kind === 'get' && request.query) || {};
    const transactions = Array.from({ length: Number(endBlock) - Number(startBlock) }, (_, i) => {
      const n = Number(startBlock) + i;
      const txHash = `0x${n.toString(16).padStart(64, '0')}`;
      return { nativeTransaction: { blockNumber: `${n}`, blockTimestamp: n * 10, txHash, value: '1' } };
    });
    return { body: { transactions }, bytes: 1, fetchedAt: 1 };
  };
