import { expect, test } from 'vitest';
import { dropPartitions } from '../../src/publish/dropPartitions.ts';
import { readCurrent } from '../../src/publish/manifest.ts';
import { publish } from '../../src/publish/publish.ts';
import { sampleWarehouse } from './sampleWarehouse.ts';

// The newest block of the sample is of 2026-02-11; its months are 2025-12, 2026-01 and 2026-02.

test('the oldest months go, from blocks by their time and from transactions by the heights of their blocks', async () => {
  const warehouse = await sampleWarehouse();
  await warehouse.run(`INSERT INTO raw.node_evm_transactions (chain_id, "number", tx_index, _load_id)
    SELECT chain_id, "number", 0, 1 FROM raw.node_evm_blocks`);
  await publish(warehouse, { runId: 'r1' });
  const count = async (table: string, condition: string) =>
    Number((await warehouse.query(`SELECT count(*) AS n FROM raw.${table} WHERE ${condition}`))[0]?.['n']);
  const old = await count('node_evm_blocks', `"timestamp" < '2026-01-01'`);
  const first = `(SELECT min("number") FROM raw.node_evm_blocks WHERE "timestamp" >= '2026-01-01')`;
  const oldTransactions = await count('node_evm_transactions', `"number" < ${first}`);
  expect(old).toBeGreaterThan(0);
  expect(await dropPartitions(warehouse, { keepDays: 30 })).toEqual([
    { table: 'raw.node_evm_transactions', rows: oldTransactions },
    { table: 'raw.node_evm_blocks', rows: old },
  ]);
  expect(await count('node_evm_transactions', `"number" < ${first}`)).toBe(0);
  expect(await publish(warehouse, { runId: 'r2' })).toMatchObject({ version: 2 });
  const manifest = await readCurrent(warehouse.folder);
  const months = manifest?.tables
    .find(({ name }) => name === 'node_evm_blocks')
    ?.files.map(({ partition }) => partition[1]);
  expect([...new Set(months)]).toEqual(['2026-01', '2026-02']);
  expect(await dropPartitions(warehouse, { keepDays: 30 })).toEqual([]);
});

test('only named tables, and a name that cannot be cut is refused', async () => {
  const warehouse = await sampleWarehouse();
  expect(await dropPartitions(warehouse, { keepDays: 1, tables: ['node_evm_blocks'] })).toMatchObject([
    { table: 'raw.node_evm_blocks' },
  ]);
  await expect(dropPartitions(warehouse, { keepDays: 1, tables: ['node_platform_validators'] })).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('node_evm_blocks'),
  });
});
