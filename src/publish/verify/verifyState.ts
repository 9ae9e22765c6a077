import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import type { Layouts } from '../../core/columns/layout.ts';
import { hasCode } from '../../core/firnError.ts';
import { literal, qualified } from '../../core/text/sqlText.ts';
import { diskError } from '../../load/diskError.ts';
import { openError } from '../../load/state/openError.ts';
import { ownReaderFile } from '../reader/readerPaths.ts';
import { readerVersion } from '../reader/readerVersion.ts';
import type { Failure } from './failure.ts';
import { openVerifying } from './lakeConnection.ts';
import { verifyShown } from './verifyShown.ts';

const item = '.state/firn.duckdb';

/**
 * Reads every value of the state database, which makes DuckDB check the checksum of every block in use, and checks whether it still
 * has the loads that readers see: DuckDB cuts off the unreadable end of a write-ahead log without saying so. Where it has, the files of the
 * newest version are compared with it.
 *
 * @param layouts how what is published is cut
 * @throws FirnError `locked` where a run holds it: nobody else can read it then · `disk` where this user may not · `newer_warehouse`
 */
export async function verifyState(folder: string, layouts: Layouts): Promise<Failure[]> {
  const file = join(folder, item);
  try {
    await access(file, constants.R_OK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw diskError(error, `read ${file}`);
    return [{ check: 'state', item, message: 'the file is missing: the next run reads everything again' }];
  }
  const { connection, query, close } = await openVerifying(folder);
  const source: Parameters<typeof verifyShown>[0] = {
    folder,
    query,
    run: async (sql) => (await connection.run(sql)).rowsChanged,
  };
  try {
    await connection.run(`ATTACH ${literal(file)} AS state (READ_ONLY); USE state`);
    const tables = await query<StateTable>(
      `SELECT schema_name AS "schema", table_name AS name, string_agg('"' || replace(column_name, '"', '""') || '"', ', ') AS columns
       FROM duckdb_columns() JOIN duckdb_tables() USING (database_name, schema_name, table_name) WHERE database_name = 'state' GROUP BY ALL`,
    );
    for (const { schema, name, columns } of tables)
      await connection.run(`SELECT bit_xor(hash(${columns})) FROM ${qualified({ schema, name })}`);
    const reader = ownReaderFile(folder);
    if ((await readerVersion(reader)) === 0) return [];
    await connection.run(`ATTACH ${literal(reader)} AS reader (READ_ONLY)`);
    const [lost] = await query<{ n: bigint }>(
      'SELECT count(*) AS n FROM reader.firn.load AS seen ANTI JOIN state.firn.load AS own USING (load_id, run_id)',
    );
    if (!lost?.n) return await verifyShown(source, layouts);
    const message = `it has lost ${lost.n} loads that readers see; the next run reads again what they brought`;
    return [{ check: 'state', item, message }];
  } catch (error) {
    const told = await openError(error, file);
    if (hasCode(told, 'locked', 'newer_warehouse')) throw told;
    return [{ check: 'state', item, message: told.message.split('\n')[0] ?? '' }];
  } finally {
    close();
  }
}

type StateTable = { readonly schema: string; readonly name: string; readonly columns: string };
