import { expect, test } from 'vitest';
import { temporaryWarehouse } from './temporaryWarehouse.ts';

test('what the state notes is UTC, wherever the machine stands', async () => {
  const own = process.env['TZ'];
  process.env['TZ'] = 'America/New_York';
  try {
    const warehouse = await temporaryWarehouse([]);
    const [row] = await warehouse.query<{ noted: bigint }>(`SELECT epoch_ms(now()::TIMESTAMP) AS noted`);
    expect(Math.abs(Number(row?.noted) - Date.now())).toBeLessThan(60_000);
  } finally {
    process.env['TZ'] = own;
  }
});
