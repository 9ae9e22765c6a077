import { addressTransactions } from '../../../pipelines/data-api/addressTransactions.ts';
import { latestTransactions } from '../../../pipelines/data-api/latestTransactions.ts';
import { primaryTransactions } from '../../../pipelines/data-api/primaryTransactions.ts';
import type { Fetch } from '../../../src/run/sources/drive.ts';

/** One block every ten seconds, with one transaction; ten a page, and a token is the place of its first row. */
export const listOf =
  (heights: readonly number[], asked: string[]): Fetch =>
  async (request) => {
    const { pageToken, startBlock, startTimestamp, sortOrder } = (request.kind === 'get' && request.query) || {};
    const first = Math.max(Number(startBlock ?? 0), Number(startTimestamp ?? 0) / 10);
    const all = heights.filter((height) => height >= first);
    if (sortOrder !== 'asc') all.reverse();
    asked.push(String(pageToken ?? startBlock ?? (startTimestamp as number | undefined) ?? 'head'));
    const at = Number(pageToken ?? 0);
    const transactions = all.slice(at, at + 10).map((height) => {
      const row = {
        blockNumber: String(height),
        blockTimestamp: height * 10,
        txHash: `0x${height.toString(16).padStart(64, '0')}`,
      };
      return request.path.includes('/addresses/')
        ? { nativeTransaction: { ...row, value: '1' } }
        : request.path.includes('/networks/')
          ? { ...row, txType: 'BaseTx', value: [], consumedUtxos: [], emittedUtxos: [], amountBurned: [] }
          : { ...row, value: '1' };
    });
    const more = at + 10 < all.length && { nextPageToken: String(at + 10) };
    return { body: { transactions, ...more }, bytes: 1, fetchedAt: 1 };
  };

export const span = (from: number, to: number, without: readonly number[] = []) =>
  Array.from({ length: to - from }, (_, i) => from + i).filter((height) => !without.includes(height));

export const settings = { from: { height: 0 }, to: null, pageSize: 10 };
export const address = `0x${'1'.repeat(40)}`;
const primary = { network: 'fuji', blockchain: 'p-chain' };
/** Its name, the stream, a partition, and its checkpoint at a block. */
export type Reader = readonly [string, unknown, object, (block: number) => object];

export const readers: Reader[] = [
  ['newest first', latestTransactions, { values: { chain_id: '1' }, settings }, (cursor) => ({ cursor })],
  ['by height', addressTransactions, { values: { chain_id: '1', address }, settings }, (next) => ({ next })],
  [
    'by sets of addresses',
    primaryTransactions,
    { values: primary, settings: { ...settings, from: { time: 0 }, groups: [[address]] } },
    (block) => ({ sets: [{ next: block * 10, members: [address] }] }),
  ],
];
