import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { Engine, Stage } from '../../../src/cluster/contract.ts';
import type { Control } from '../../../src/cluster/ledger/control.ts';

/** An engine that keeps heights of staged files in PostgreSQL: as idempotent as the contract asks, and as slow as is wanted. */
export async function createFakeEngine(control: Control, stage: Stage): Promise<Engine> {
  await control.query(
    'CREATE TABLE IF NOT EXISTS lake (firn_batch bigint, firn_row bigint, height bigint, PRIMARY KEY (firn_batch, firn_row))',
  );
  const folder = await mkdtemp(join(tmpdir(), 'firn-engine-'));
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  return {
    ensureTable: async () => {},
    async apply(_, batches) {
      const files = await Promise.all(
        batches.map(async (file) => {
          const path = join(folder, `${file.id}.parquet`);
          await stage.fetch(file, path);
          return `'${path}'`;
        }),
      );
      const reader = await connection.runAndReadAll(
        `SELECT firn_batch::VARCHAR, firn_row::VARCHAR, height::VARCHAR FROM read_parquet([${files.join(', ')}])`,
      );
      const [batch, row, height] = reader.getColumns();
      const inserted = await control.query(
        'INSERT INTO lake SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) ON CONFLICT DO NOTHING RETURNING 1',
        [batch, row, height],
      );
      return { inserted: inserted.length };
    },
    name: (relation) => relation,
    async query() {
      const held = await control.query<{ batch: string; held: string }>(
        'SELECT firn_batch AS batch, count(*) AS held FROM lake GROUP BY firn_batch',
      );
      return held as never;
    },
    async close() {
      connection.closeSync();
      instance.closeSync();
      await rm(folder, { recursive: true, force: true });
    },
  } as Partial<Engine> as Engine;
}
