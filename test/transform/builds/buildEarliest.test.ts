/** @module-tag long */
import { expect, onTestFinished, test } from 'vitest';
import { buildModels } from '../../../src/transform/builds/buildModels.ts';
import { loadMadeUp, type MadeUpBlock } from '../madeUpChain.ts';
import { modelsUnder } from '../metricModels.ts';
import { temporaryWarehouse } from '../warehouse.ts';

test('what was first in an hour that is another one by now is looked up again from that hour on, its first moment included', async () => {
  const { warehouse, dispose } = await temporaryWarehouse();
  onTestFinished(dispose);
  const models = await modelsUnder(['mart.account_first_seen']);
  const block = (number: number, hour: number): MadeUpBlock => ({
    number,
    time: Date.UTC(2026, 0, 5, hour) / 1000,
    transactions: [{ from: 1, to: 2, gasUsed: 21_000, price: 1n }],
  });
  const firstSent = async () => {
    await buildModels(warehouse, { models });
    const rows = await warehouse.query<{ address: string; hour: bigint }>(
      'SELECT right(address, 2) AS address, hour(by_sending) AS "hour" FROM mart.account_first_seen WHERE by_sending IS NOT NULL ORDER BY 1',
    );
    return rows.map(({ address, hour }) => [address, Number(hour)]);
  };
  await loadMadeUp(warehouse, '1001', [block(1, 9), block(2, 10), block(3, 11)]);
  expect(await firstSent()).toEqual([['01', 9]]);
  // The same block, sent by address 0x33.
  await loadMadeUp(warehouse, '1001', [block(1, 9)], 'altered');
  expect(await firstSent()).toEqual([
    ['01', 10],
    ['33', 9],
  ]);
});
