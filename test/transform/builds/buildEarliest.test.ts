/** @module-tag long */
import { expect, onTestFinished, test } from 'vitest';
import { buildModels } from '../../../src/transform/builds/buildModels.ts';
import { loadMadeUp, type MadeUpBlock } from '../madeUpChain.ts';
import { modelsUnder } from '../metricModels.ts';
import { temporaryWarehouse } from '../warehouse.ts';

test('what was first in an hour that is another one by now is looked up again from that hour on, its first moment included, and goes where it is nowhere else', async () => {
  const { warehouse, dispose } = await temporaryWarehouse();
  onTestFinished(dispose);
  const models = await modelsUnder(['mart.account_first_seen']);
  const block = (number: number, hour: number, from: number): MadeUpBlock => ({
    number,
    time: Date.UTC(2026, 0, 5, hour) / 1000,
    transactions: [{ from, to: 2, gasUsed: 21_000, price: 1n }],
  });
  const firstSent = async () => {
    await buildModels(warehouse, { models });
    const rows = await warehouse.query<{ address: string; hour: bigint | null }>(
      'SELECT right(address, 2) AS address, hour(by_sending) AS "hour" FROM mart.account_first_seen ORDER BY 1',
    );
    return Object.fromEntries(rows.map(({ address, hour }) => [address, hour && Number(hour)]));
  };
  await loadMadeUp(warehouse, '1002', [block(1, 9, 7)]);
  await loadMadeUp(warehouse, '1001', [block(1, 9, 1), block(2, 10, 4), block(3, 12, 1)]);
  expect(await firstSent()).toEqual({ '01': 9, '04': 10, '07': 9 });
  // The same block, sent by address 0x33. The next time that 0x01 sends is no hour that changed.
  await loadMadeUp(warehouse, '1001', [block(1, 9, 1)], 'altered');
  expect(await firstSent()).toEqual({ '01': 12, '04': 10, '07': 9, '33': 9 });
  await loadMadeUp(warehouse, '1001', [block(2, 10, 4)], 'altered');
  expect(await firstSent()).toEqual({ '01': 12, '07': 9, '33': 9, '36': 10 });
});
