import { expect, test } from 'vitest';
import { addressTransactions } from '../../../pipelines/data-api/addressTransactions.ts';
import { type PagedStream, tablesOf } from '../../../src/core/stream/stream.ts';
import { readPaged } from '../../../src/run/read/readPages.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';
import { address, settings } from '../../run/read/lateLists.ts';
import { readContext } from '../../run/read/readContext.ts';
import { childRows } from './childRows.ts';

test('transfers and internal transactions that are alike have a row each, however often they are read', async () => {
  const stream = addressTransactions as unknown as PagedStream;
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  const partition = { values: { chain_id: '1', address }, settings };
  const item = { from: { address }, to: { address }, logIndex: 0, value: '1' };
  const transaction = {
    nativeTransaction: { txHash: `0x${'1'.repeat(64)}`, blockNumber: '1', blockTimestamp: 1000, value: '0' },
    erc20Transfers: [item, item],
    erc721Transfers: [item, item].map(({ value: _, ...transfer }) => transfer),
    erc1155Transfers: [item, item, { ...item, erc1155Token: { tokenId: '2' } }],
    internalTransactions: [item, item].map(({ logIndex: _, ...call }) => call),
  };
  const fetch = async () => ({ body: { transactions: [transaction] }, fetchedAt: 0, bytes: 0 });
  for (let reads = 0; reads < 2; reads++) await readPaged(stream, readContext(warehouse, stream, partition, fetch));
  expect(await childRows(warehouse, stream)).toEqual({
    erc20_transfers: 2,
    erc721_transfers: 2,
    erc1155_transfers: 3,
    internal_transactions: 2,
  });
});
