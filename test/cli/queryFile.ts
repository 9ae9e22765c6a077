import { DuckDBInstance } from '@duckdb/node-api';

/** Rows of a database file. */
export async function queryFile(file: string, sql: string): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    await connection.run(`ATTACH '${file}' AS state (READ_ONLY); USE state;`);
    return (await connection.runAndReadAll(sql)).getRowObjectsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
