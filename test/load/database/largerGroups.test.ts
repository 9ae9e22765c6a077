import { expect, test } from 'vitest';
import { catalogue } from '../../../pipelines/index.ts';
import { tablesOf } from '../../../src/core/stream/stream.ts';
import { literal } from '../../../src/core/text/sqlText.ts';
import { openDuckDb } from '../../../src/load/database/openDuckDb.ts';
import { openWarehouse } from '../../../src/load/state/warehouse.ts';
import { temporary } from '../../temporaryFolders.ts';
import { temporaryWarehouse } from '../temporaryWarehouse.ts';

test.each([
  ['', `DELETE FROM main.firn_schema_version WHERE "version" > 125`],
  [
    ', also where the clock was set back before its upgrade',
    `UPDATE main.firn_schema_version SET applied_at = applied_at + INTERVAL 1 YEAR WHERE "version" <= 125`,
  ],
])('a table of 0.1, whose row groups are larger, is added to where it was given a column%s', async (_, made) => {
  const tables = tablesOf(catalogue).filter(({ name }) => name === 'raw.node_evm_trace_status');
  const folder = await temporary();
  (await temporaryWarehouse([], folder)).close();
  const older = await openDuckDb({ folders: [folder] });
  await older.connection.run(`ATTACH ${literal(`${folder}/.state/firn.duckdb`)} AS state; USE state;
    ${made};
    CREATE TABLE raw.node_evm_trace_status AS SELECT '43114' AS chain_id, range AS "number", 0::INTEGER AS tx_index, 1::BIGINT AS _load_id FROM range(30950);
    CHECKPOINT state; USE memory; DETACH state`);
  older.close();

  const warehouse = await openWarehouse({ folder, tables });
  try {
    await warehouse.run(
      'INSERT INTO raw.node_evm_trace_status BY NAME SELECT chain_id, "number" + 30950 AS "number", tx_index, _load_id FROM raw.node_evm_trace_status LIMIT 50',
    );
    expect(
      await warehouse.query('SELECT count(*) AS "rows", max("number") AS newest FROM raw.node_evm_trace_status'),
    ).toEqual([{ rows: 31_000n, newest: 30_999n }]);
  } finally {
    warehouse.close();
  }
});
