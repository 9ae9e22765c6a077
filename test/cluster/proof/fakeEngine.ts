import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import type { Engine } from '../../../src/cluster/contract.ts';
import type { Control } from '../../../src/cluster/ledger/openControl.ts';

/** An engine that keeps heights of staged files in PostgreSQL: as idempotent as the contract asks, and as slow as is wanted. */
export async function createFakeEngine(control: Control): Promise<Pick<Engine, 'apply' | 'close'>> {
  await control.query(
    'CREATE TABLE IF NOT EXISTS lake (firn_batch bigint, firn_row bigint, height bigint, PRIMARY KEY (firn_batch, firn_row))',
  );
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  return {
    async apply(_, batches) {
      const files = batches.map(({ uri }) => `'${fileURLToPath(uri)}'`).join(', ');
      const reader = await connection.runAndReadAll(
        `SELECT firn_batch::VARCHAR, firn_row::VARCHAR, height::VARCHAR FROM read_parquet([${files}])`,
      );
      const [batch, row, height] = reader.getColumns();
      const inserted = await control.query(
        'INSERT INTO lake SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) ON CONFLICT DO NOTHING RETURNING 1',
        [batch, row, height],
      );
      return { inserted: inserted.length };
    },
    async close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}
