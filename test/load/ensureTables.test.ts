import { DuckDBInstance } from '@duckdb/node-api';
import { expect, onTestFinished, test, vi } from 'vitest';
import { catalogue } from '../../pipelines/index.ts';
import { tablesOf } from '../../src/core/stream.ts';
import { ensureTables } from '../../src/load/ensureTables.ts';

const tables = tablesOf(catalogue);

test('tables of every kind of column are known again, also where somebody added to them by hand', async () => {
  const instance = await DuckDBInstance.create(':memory:');
  onTestFinished(() => instance.closeSync());
  const connection = await instance.connect();
  await connection.run("ATTACH ':memory:' AS state; USE state; CREATE SCHEMA raw");
  await ensureTables(connection, tables);
  await connection.run(`ALTER TABLE raw.data_utxos ADD COLUMN "of mine, (too)" DECIMAL(9,2) DEFAULT 1.5;
    ALTER TABLE raw.data_utxos ADD COLUMN "größe" STRUCT(a INTEGER, b VARCHAR);
    DROP TABLE raw.node_evm_logs;
    ALTER TABLE raw.node_evm_blocks DROP COLUMN size`);
  const run = vi.spyOn(connection, 'run');
  await ensureTables(connection, tables);
  const statements = run.mock.calls.map(([sql]) => sql).filter((sql) => /TABLE/.test(sql));
  expect(statements.join(';\n').match(/(?:CREATE|ALTER) TABLE [^;\n]*/g)).toEqual([
    'ALTER TABLE raw.node_evm_blocks ADD COLUMN "size" BIGINT',
    'CREATE TABLE IF NOT EXISTS raw.node_evm_logs (',
  ]);
});
