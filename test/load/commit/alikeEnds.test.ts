import { expect, test } from 'vitest';
import { primaryTransactions } from '../../../pipelines/data-api/primaryTransactions.ts';
import { parseRecords } from '../../../src/core/parse/parseRecords.ts';
import type { Partition } from '../../../src/core/stream/partition.ts';
import { type Stream, tablesOf } from '../../../src/core/stream/stream.ts';
import { queryUnresolved } from '../../../src/load/bookkeeping/unresolved.ts';
import { prepareBatch, writeBatch } from '../../../src/load/commit/commit.ts';
import type { Warehouse } from '../../../src/load/state/warehouse.ts';
import { temporaryWarehouse } from '../temporaryWarehouse.ts';

const stream = primaryTransactions as unknown as Stream;
const network = { networkId: 1, network: 'mainnet', hrp: 'avax', chains: [] };
const partition: Partition = { values: { network: 'mainnet', blockchain: 'c-chain' } };

const end = (amount: string) => ({ assetId: 'asset', amount });
const importOf = (outputs: readonly object[], timestamp: unknown = 1_600_000_000) => ({
  txHash: 'tx1',
  timestamp,
  txType: 'ImportTx',
  blockHeight: 7,
  evmOutputs: outputs,
});
const output = (digit: string, amount: string) => ({ toAddress: `0x${digit.repeat(40)}`, asset: end(amount) });
const [two, one] = [output('8', '5'), output('9', '5')];

async function read(warehouse: Warehouse, raw: unknown, rewrite = false): Promise<void> {
  const page = parseRecords(stream, partition, network, [raw]);
  const told = { records: 1, pages: 1, bytes: 100, request: 'GET /transactions', fetchedAt: 1_700_000_000_000 };
  const batch = { ...page, sets: [page.set], ...told };
  const commit = { stream, partition, runId: 'run', batch: prepareBatch(stream, partition, batch, rewrite) };
  await warehouse.transaction((tx) => writeBatch(tx, { ...commit, from: null, to: null }));
}

const outputs = (warehouse: Warehouse) =>
  warehouse.query(
    'SELECT to_address, amount::INTEGER AS amount, "position" FROM raw.data_primary_transactions_evm_outputs ORDER BY ALL',
  );
const row = ({ toAddress, asset }: typeof two, position: number) => ({
  to_address: toAddress,
  amount: Number(asset.amount),
  position,
});

test('two outputs that are alike are two rows, however often and in whatever parts they are read', async () => {
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  await read(warehouse, importOf([two, one, two]));
  await read(warehouse, importOf([two, two]));
  await read(warehouse, importOf([one]));
  expect(await outputs(warehouse)).toEqual([row(two, 0), row(two, 1), row(one, 0)]);
});

test('one that another answer shows is a load, and read again to be built again all of them are of that load', async () => {
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  const loadOf = () =>
    warehouse.query(
      `SELECT _load_id AS load, count(*)::INTEGER AS held FROM raw.data_primary_transactions_evm_outputs
       WHERE _load_id IN (SELECT load_id FROM firn.load) GROUP BY 1 ORDER BY 1`,
    );
  await read(warehouse, importOf([two]));
  await read(warehouse, importOf([one]));
  expect(await loadOf()).toEqual([
    { load: 1n, held: 1 },
    { load: 2n, held: 1 },
  ]);
  await read(warehouse, importOf([two, one]), true);
  expect(await loadOf()).toEqual([{ load: 3n, held: 2 }]);
});

test('a record with them that could not be read is resolved by one that shows the same', async () => {
  const warehouse = await temporaryWarehouse(tablesOf([stream]));
  await read(warehouse, importOf([two, two], 'never'));
  expect(await queryUnresolved(warehouse)).toMatchObject({ records: 1 });
  await read(warehouse, importOf([two, two]));
  expect(await queryUnresolved(warehouse)).toMatchObject({ records: 0 });
});

test('what an earlier version read is the first of its kind after the upgrade', async () => {
  const before = await temporaryWarehouse(tablesOf([stream]));
  await read(before, importOf([two, one]));
  await before.run(`
    ALTER TABLE raw.data_primary_transactions_evm_outputs DROP COLUMN "position";
    DELETE FROM main.firn_schema_version WHERE "version" >= 152`);
  before.close();
  const warehouse = await temporaryWarehouse(tablesOf([stream]), before.folder);
  await read(warehouse, importOf([two, one, two]));
  expect(await outputs(warehouse)).toEqual([row(two, 0), row(two, 1), row(one, 0)]);
});

test('a validation that a transaction lists twice is two rows, of which an earlier version had the last', async () => {
  const validators = (...changes: readonly number[]) => ({
    ...importOf([]),
    l1ValidatorDetails: changes.map((balanceChange) => ({ validationId: 'one', weight: 1, balanceChange })),
  });
  const changes = (warehouse: Warehouse) =>
    warehouse.query(
      'SELECT "position", balance_change::INTEGER AS change FROM raw.data_primary_transactions_l1_validators ORDER BY 1',
    );
  const before = await temporaryWarehouse(tablesOf([stream]));
  await read(before, validators(5));
  await before.run(`
    ALTER TABLE raw.data_primary_transactions_l1_validators DROP COLUMN "position";
    DELETE FROM main.firn_schema_version WHERE "version" >= 163`);
  before.close();
  const warehouse = await temporaryWarehouse(tablesOf([stream]), before.folder);
  expect(await changes(warehouse)).toEqual([{ position: 0, change: 5 }]);
  const both = [
    { position: 0, change: -7 },
    { position: 1, change: 5 },
  ];
  for (const list of [validators(-7, 5), validators(-7)]) {
    await read(warehouse, list);
    expect(await changes(warehouse)).toEqual(both);
  }
});
