import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { catalogue } from '../../../pipelines/index.ts';
import type { Lease, Ledger, Stage } from '../../../src/cluster/contract.ts';
import { recall } from '../../../src/cluster/worker/recall.ts';
import { type Stream, tablesOf } from '../../../src/core/stream/stream.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';

test('rows of a version that did not number those that are alike have the first number', async () => {
  const stream = catalogue.find(({ id }) => id === 'data/primary_transactions') as Stream;
  const table = 'raw.data_primary_transactions_evm_outputs';
  const scratch = await temporaryWarehouse(tablesOf([stream]));
  const columns = await scratch.query<{ column_name: string; column_type: string }>(`DESCRIBE ${table}`);
  const old = columns
    .filter(({ column_name }) => column_name !== 'position')
    .map(({ column_name, column_type }) => {
      const value = column_type === 'TIMESTAMP' ? '2026-01-01' : '1';
      return `CAST('${value}' AS ${column_type}) AS "${column_name}"`;
    });
  const path = join(scratch.folder, 'old.parquet');
  await scratch.run(`COPY (SELECT ${old.join(', ')}) TO '${path}'`);
  const lease = { stream: stream.id, partition: 'p', cursor: null, memory: [{ table, uri: 'x' }] } as unknown as Lease;
  const ledger = { waiting: async () => [], knownMembers: async () => [] } as unknown as Ledger;
  const stage = { fetch: (_: unknown, to: string) => copyFile(path, to) } as unknown as Stage;
  await recall(scratch, { stream, lease, ledger, stage });
  expect(await scratch.query(`SELECT "position" FROM ${table}`)).toEqual([{ position: 0 }]);
});

test('rows of a version with another column, another table and without a column that is required now are recalled', async () => {
  const stream = catalogue.find(({ id }) => id === 'node/platform_validators') as Stream;
  const table = stream.table.name;
  const scratch = await temporaryWarehouse(tablesOf([stream]));
  const columns = await scratch.query<{ column_name: string; column_type: string; null: string }>(`DESCRIBE ${table}`);
  const lacking = columns.find((column) => column.null === 'NO' && !stream.table.key.includes(column.column_name));
  const old = columns
    .filter(({ column_name }) => column_name !== lacking?.column_name)
    .map(({ column_name, column_type }) => {
      const value = column_type === 'TIMESTAMP' ? '2026-01-01' : column_type.endsWith('[]') ? '[]' : '1';
      return `CAST('${value}' AS ${column_type}) AS "${column_name}"`;
    });
  const path = join(scratch.folder, 'old.parquet');
  await scratch.run(`COPY (SELECT ${old.join(', ')}, 1 AS was_here) TO '${path}'`);
  const memory = [table, 'raw.node_was_here'].map((name) => ({ table: name, uri: 'x' }));
  const lease = { stream: stream.id, partition: 'p', cursor: null, memory } as unknown as Lease;
  const ledger = { waiting: async () => [], knownMembers: async () => [] } as unknown as Ledger;
  const stage = { fetch: (_: unknown, to: string) => copyFile(path, to) } as unknown as Stage;
  await recall(scratch, { stream, lease, ledger, stage });
  expect(await scratch.query(`SELECT count(*) AS held FROM ${table}`)).toEqual([{ held: 1n }]);
});

test.each([
  ['node/evm_blocks', ''],
  ['data/primary_transactions', 'says'],
])('of what waits in quarantine of %s, what it says is held where it is looked at: "%s"', async (id, record) => {
  const stream = catalogue.find((one) => one.id === id) as Stream;
  const scratch = await temporaryWarehouse(tablesOf([stream]));
  const lease = { stream: id, partition: 'p', cursor: null, memory: [] } as unknown as Lease;
  const [at, of] = ['2026-01-01', { stream: id, partition: 'p', reason: 'why' }];
  const entry = { id: 1, load_id: 1, number: 0, ...of, record_hash: 'a', record_key: null, position: 7 };
  const seen = { quarantined_at: at, last_seen_at: at, last_load_id: 1, accepted_at: null, accepted_because: null };
  const waiting: Ledger['waiting'] = async (_, says) => [{ ...entry, ...seen, record: says ? 'says' : '' }];
  const ledger = { waiting, newestLoad: async () => 5, knownMembers: async () => [] } as unknown as Ledger;
  await recall(scratch, { stream, lease, ledger, stage: {} as Stage });
  const held = 'SELECT record, "position"::INTEGER AS "at" FROM firn.quarantine';
  expect(await scratch.query(held)).toEqual([{ record, at: 7 }]);
});
