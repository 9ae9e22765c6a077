import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { temporary } from '../temporaryFolders.ts';
import { stateDifferences } from './stateDifferences.ts';

async function stateWith(rows: string): Promise<string> {
  const file = join(await temporary(), 'firn.duckdb');
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  await connection.run(`CREATE SCHEMA raw; CREATE TABLE raw.data_utxos AS ${rows}`);
  connection.closeSync();
  instance.closeSync();
  return file;
}

const row = (id: number, { extra = 'NULL', load = 1, until = 'NULL' } = {}) =>
  `SELECT ${id} AS id, ${extra}::VARCHAR AS _extra, ${load} AS _load_id, ${until}::TIMESTAMP AS _valid_to`;

test.each([
  ['a row that is there twice', [row(1), row(1)], [row(1)], ['too many: {"id":1']],
  ['a row that is lost', [row(1)], [row(1), row(2)], ['missing: {"id":2']],
  ['an unknown member that is lost', [row(1)], [row(1, { extra: `'{}'` })], ['too many: {"id":1', 'missing: {"id":1']],
  ['another load', [row(1)], [row(1, { load: 2 })], []],
  ['what was before', [row(1), row(2, { until: `'2026-01-20'` })], [row(1)], []],
])('%s', async (_, tested, right, found) => {
  const [one, other] = [await stateWith(tested.join(' UNION ALL ')), await stateWith(right.join(' UNION ALL '))];
  const differences = await stateDifferences(one, other, ['raw.data_utxos']);
  expect(differences.map((line) => line.slice(0, line.indexOf(',"_extra"')))).toEqual(
    found.map((line) => `raw.data_utxos, ${line}`),
  );
});
