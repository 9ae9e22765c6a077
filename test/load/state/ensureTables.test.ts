import { DuckDBInstance } from '@duckdb/node-api';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { catalogue } from '../../../pipelines/index.ts';
import { text } from '../../../src/core/columns/columns.ts';
import { defineTable } from '../../../src/core/columns/table.ts';
import { tablesOf } from '../../../src/core/stream/stream.ts';
import { ensureTables } from '../../../src/load/state/ensureTables.ts';

const tables = tablesOf(catalogue);

const emptyState = `ATTACH ':memory:' AS state; USE state; CREATE SCHEMA raw; CREATE SCHEMA firn;
  CREATE TABLE main.firn_table_key ("table" VARCHAR, "key" VARCHAR);
  CREATE TABLE firn.build_state AS SELECT 'h' AS models_hash, 'h' AS files_hash`;

test('tables of every kind of column are known again, also where somebody added to them by hand', async () => {
  const instance = await DuckDBInstance.create(':memory:');
  onTestFinished(() => instance.closeSync());
  const connection = await instance.connect();
  await connection.run(emptyState);
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
  // Models that select every column are built anew.
  expect((await connection.runAndReadAll('FROM firn.build_state')).getRows()).toEqual([['', '']]);
});

test('a column that an older schema required may be NULL where the schema of now does not', async () => {
  const instance = await DuckDBInstance.create(':memory:');
  onTestFinished(() => instance.closeSync());
  const connection = await instance.connect();
  const columns = async () => {
    await ensureTables(connection, tables);
    const rows = await connection.runAndReadAll(
      'SELECT database_name, table_name, column_name, is_nullable FROM duckdb_columns() ORDER BY ALL',
    );
    return rows.getRowsJS();
  };
  await connection.run(emptyState);
  const made = await columns();
  await connection.run(`ALTER TABLE raw.node_evm_transactions ALTER COLUMN "value" SET NOT NULL;
    ALTER TABLE raw.data_latest_transactions ALTER COLUMN "value" SET NOT NULL`);
  expect(await columns()).toEqual(made);
  await connection.run(
    'CREATE TABLE raw.older (gone VARCHAR NOT NULL, "gone-too" VARCHAR NOT NULL, "größe" VARCHAR NOT NULL, "a""b" VARCHAR NOT NULL)',
  );
  const older = tables.map((table) => ({ ...table, name: 'raw.older' })).slice(0, 1);
  await ensureTables(connection, older);
  await connection.run('INSERT INTO raw.older (gone) VALUES (NULL)');
});

test('rows that lack a column of the key are refused: they would stay beside those that are read from now on', async () => {
  const instance = await DuckDBInstance.create(':memory:');
  onTestFinished(() => instance.closeSync());
  const connection = await instance.connect();
  await connection.run(emptyState);
  const [table] = tables.filter(({ name }) => name === 'raw.node_evm_transactions');
  const lacking = (rows: string) =>
    connection.run(`CREATE OR REPLACE TABLE raw.node_evm_transactions AS SELECT ${rows}`);
  const ensure = () => ensureTables(connection, table ? [table] : []);
  await lacking(`'C' AS chain_id LIMIT 0`);
  await ensure();
  await lacking(`'C' AS chain_id`);
  await expect(ensure()).rejects.toMatchObject({
    code: 'newer_warehouse',
    message: expect.stringMatching(
      /^The key of raw\.node_evm_transactions has a column number .* or run "firn state drop" for the stream: it is then read again\.$/,
    ),
  });
  // Rows of a snapshot end.
  await lacking(`'C' AS chain_id, NULL::TIMESTAMP AS _valid_to`);
  await ensure();
});

test.each([
  ['raw.node_evm_blocks', 'ADD COLUMN IF NOT EXISTS _valid_from TIMESTAMP', 'were read as a snapshot'],
  ['raw.node_platform_supply', 'DROP COLUMN _valid_from', 'were not read as a snapshot'],
])(
  'rows of %s that were read in another way are refused, and a table without rows is not',
  async (name, change, said) => {
    const instance = await DuckDBInstance.create(':memory:');
    onTestFinished(() => instance.closeSync());
    const connection = await instance.connect();
    const ensure = () =>
      ensureTables(
        connection,
        tables.filter((table) => table.name === name),
      );
    await connection.run(emptyState);
    await ensure();
    const other = `CREATE OR REPLACE TABLE ${name} AS FROM ${name}; ALTER TABLE ${name} ${change};`;
    await connection.run(other);
    await ensure();
    await connection.run(`${other} INSERT INTO ${name} (_load_id) VALUES (1)`);
    await expect(ensure()).rejects.toMatchObject({
      code: 'newer_warehouse',
      message: expect.stringMatching(`^The rows of ${name} in this warehouse ${said}.* or run "firn state drop"`),
    });
  },
);

test.each([
  ['shorter', ['a']],
  ['longer', ['a', 'b', 'c']],
  ['another', ['a', 'c']],
])('a key that becomes %s is refused where there are rows of the old one, and only there', async (_, key) => {
  const instance = await DuckDBInstance.create(':memory:');
  onTestFinished(() => instance.closeSync());
  const connection = await instance.connect();
  await connection.run(emptyState);
  const schema = z.object({ a: text('A.'), b: text('B.'), c: text('C.') });
  const ensure = (key: readonly string[]) =>
    ensureTables(connection, [defineTable({ name: 'raw.mine_own', description: 'Mine.', schema, key })]);
  await ensure(['a', 'b']);
  await connection.run(`INSERT INTO raw.mine_own VALUES ('1', '2', '3', 1, NULL)`);
  await ensure(['b', 'a']);
  // Earlier versions did not note it.
  await connection.run('DELETE FROM main.firn_table_key');
  await ensure(['a', 'b']);
  await expect(ensure(key)).rejects.toMatchObject({
    code: 'newer_warehouse',
    message: expect.stringMatching(
      `^The key of raw\\.mine_own is a, b in this warehouse and ${key.join(', ')} in this version .*"firn state drop"`,
    ),
  });
  await connection.run('DELETE FROM raw.mine_own');
  await ensure(key);
  await connection.run(`INSERT INTO raw.mine_own VALUES ('1', '2', '3', 1, NULL)`);
  await ensure(key);
  await expect(ensure(['a', 'b'])).rejects.toMatchObject({ code: 'newer_warehouse' });
});

test('what 0.1 saw last of each day has the key that its snapshot has now, where that tells it', async () => {
  const instance = await DuckDBInstance.create(':memory:');
  onTestFinished(() => instance.closeSync());
  const connection = await instance.connect();
  const own = tables.filter(({ name }) => ['raw.data_validators', 'raw.data_validators_daily'].includes(name));
  await connection.run(emptyState);
  await ensureTables(connection, own);
  await connection.run(`ALTER TABLE raw.data_validators_daily DROP COLUMN node_id;
    INSERT INTO raw.data_validators BY NAME SELECT * FROM (VALUES ('one', 'a'), ('one', 'a'), ('two', 'b'), ('two', 'c')) AS v (tx_hash, node_id),
      (SELECT 'fuji' AS network, TIMESTAMP '2026-01-01' AS _valid_from, 1 AS _load_id);
    INSERT INTO raw.data_validators_daily BY NAME SELECT unnest(['one', 'two', 'gone']) AS tx_hash, TIMESTAMP '2026-01-01' AS "day", 1 AS _load_id`);
  await ensureTables(connection, own);
  const rows = await connection.runAndReadAll('SELECT tx_hash, node_id FROM raw.data_validators_daily ORDER BY ALL');
  expect(rows.getRowsJS()).toEqual([
    ['gone', null],
    ['one', 'a'],
    ['two', null],
  ]);
});
