import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { catalogue } from '../../../pipelines/index.ts';
import type { Lease, Ledger, Stage } from '../../../src/cluster/contract.ts';
import { recall } from '../../../src/cluster/worker/recall.ts';
import { type Stream, tablesOf } from '../../../src/core/stream.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';

test('rows of a version that did not number those that are alike have the first number', async () => {
  const stream = catalogue.find(({ id }) => id === 'data/primary_transactions') as Stream;
  const table = 'raw.data_primary_transactions_evm_outputs';
  const scratch = await temporaryWarehouse(tablesOf([stream]));
  const columns = await scratch.query<{ column_name: string; column_type: string }>(`DESCRIBE ${table}`);
  const old = columns
    .filter(({ column_name }) => column_name !== 'position')
    .map(({ column_name, column_type }) => {
      const value = column_type === 'TIMESTAMP' ? '2026-01-01' : '1';
      return `CAST('${value}' AS ${column_type}) AS "${column_name}"`;
    });
  const path = join(scratch.folder, 'old.parquet');
  await scratch.run(`COPY (SELECT ${old.join(', ')}) TO '${path}'`);
  const lease = { stream: stream.id, partition: 'p', cursor: null, memory: [{ table, uri: 'x' }] } as unknown as Lease;
  const ledger = { waiting: async () => [] } as unknown as Ledger;
  const stage = { fetch: (_: unknown, to: string) => copyFile(path, to) } as unknown as Stage;
  await recall(scratch, { stream, lease, ledger, stage });
  expect(await scratch.query(`SELECT "position" FROM ${table}`)).toEqual([{ position: 0 }]);
});
