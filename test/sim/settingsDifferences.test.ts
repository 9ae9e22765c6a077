import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { catalogue } from '../../pipelines/index.ts';
import { duckdbType } from '../../src/core/columns/columnType.ts';
import { tablesOf } from '../../src/core/stream/stream.ts';
import { temporary } from '../temporaryFolders.ts';
import { settingsDifferences } from './settingsDifferences.ts';

const streams = catalogue.filter(({ id }) =>
  ['node/evm_blocks', 'data/validators', 'metrics/chain_metrics'].includes(id),
);
const configured = streams.map((stream) => ({ stream, partitions: ['all'], takesPart: false }));

/** A state with these rows; columns that are left out are NULL. */
async function stateWith(rows: readonly string[]): Promise<string> {
  const file = join(await temporary(), 'state.duckdb');
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  const tables = tablesOf(streams).map(
    ({ name, columns }) =>
      `CREATE TABLE ${name} (${columns.map((column) => `"${column.name}" ${duckdbType(column.type)}`).join(', ')})`,
  );
  await connection.run(`CREATE SCHEMA raw; CREATE SCHEMA firn; ${tables.join('; ')};
    CREATE TABLE firn.load AS SELECT 1 AS load_id, 'data/validators' AS stream, 'all' AS "partition";
    CREATE TABLE firn.quarantine (stream VARCHAR, "partition" VARCHAR);
    CREATE TABLE firn.dropped ("table" VARCHAR, "before" TIMESTAMP)`);
  for (const row of rows) await connection.run(`INSERT INTO ${row.replace(' ', ' BY NAME SELECT ')}`);
  connection.closeSync();
  instance.closeSync();
  return file;
}

const validator = (uptime: number) =>
  `raw.data_validators 'a' AS tx_hash, ${uptime} AS uptime_performance, 1 AS _load_id`;
const ofDay = (day: number, uptime: number) =>
  `raw.data_validators_daily 'a' AS tx_hash, TIMESTAMP '2026-01-0${day}' AS "day", ${uptime} AS uptime_performance`;
const value = (text: string) => `raw.metrics_chain_metrics '1' AS chain_id, '${text}' AS value_text`;
const revision = (load: number, text: string) =>
  `raw.metrics_chain_metrics_revisions '1' AS chain_id, '${text}' AS value_text, ${load} AS _load_id`;
const block = (number: number, month: number) => [
  `raw.node_evm_blocks '1' AS chain_id, ${number} AS number, TIMESTAMP '2026-0${month}-01' AS timestamp`,
  `raw.node_evm_transactions '1' AS chain_id, ${number} AS number, '0x${number}' AS hash`,
];
const dropped = ['blocks', 'transactions'].map(
  (name) => `firn.dropped 'raw.node_evm_${name}' AS "table", TIMESTAMP '2026-02-01' AS "before"`,
);

test.each<[what: string, tested: string[], right: string[], found: string[]]>([
  ['the last values of a day', [validator(2), ofDay(1, 1), ofDay(2, 2)], [validator(2)], []],
  [
    'those of an earlier read',
    [validator(2), ofDay(1, 2), ofDay(2, 1)],
    [validator(2)],
    ['data_validators_daily, not the last'],
  ],
  ['none', [validator(2)], [validator(2)], ['data_validators_daily, not the last']],
  ['two on one day', [validator(2), ofDay(2, 2), ofDay(2, 2)], [validator(2)], ['data_validators_daily, twice a day']],
  ['the last revision', [value('b'), revision(1, 'a'), revision(2, 'b')], [value('b')], []],
  [
    'an earlier one',
    [value('b'), revision(1, 'b'), revision(2, 'a')],
    [value('b')],
    ['metrics_chain_metrics_revisions, not the last'],
  ],
  ['months that were dropped', [...dropped, ...block(2, 2)], [...block(1, 1), ...block(2, 2)], []],
  [
    'a month that stays',
    [...dropped, ...block(1, 1)],
    [...block(1, 1), ...block(2, 2)],
    ['node_evm_blocks, missing', 'node_evm_transactions, missing'],
  ],
])('%s', async (_, tested, right, found) => {
  const { wrong } = await settingsDifferences(await stateWith(tested), await stateWith(right), configured);
  expect(wrong.map((line) => line.slice(0, line.indexOf(':')))).toEqual(found.map((line) => `raw.${line}`));
});
