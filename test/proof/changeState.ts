import { join } from 'node:path';
import { DuckDBInstance, type DuckDBValue } from '@duckdb/node-api';
import type { Place } from './scene.ts';

/** Runs SQL on the state database of a warehouse that nobody has open, as somebody with DuckDB's own shell would. */
export async function changeState(
  { warehouse }: Pick<Place, 'warehouse'>,
  sql: string,
  values: readonly DuckDBValue[] = [],
): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    await connection.run(`ATTACH '${join(warehouse, '.state', 'firn.duckdb')}' AS state; USE state`);
    await (values.length > 0 ? connection.run(sql, [...values]) : connection.run(sql));
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
