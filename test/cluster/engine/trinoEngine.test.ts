import { expect, test } from 'vitest';
import { createTrinoEngine } from '../../../src/cluster/engine/trinoEngine.ts';
import type { TrinoClient } from '../../../src/cluster/trino/trinoClient.ts';
import { ownColumn } from '../../../src/core/columns/table.ts';

test.each([
  [3, 3],
  [0, 3],
  [2, 3],
  [0, 0],
])('a table of which Trino found %s of %s staged rows is whole, or told as not', async (written, rows) => {
  const client = { run: async () => ({ query: 'q', rows: [], types: {}, written }) } as unknown as TrinoClient;
  const engine = createTrinoEngine({ client, schema: 'own', stageCatalog: 'stage', stageRoot: 's3://b/' });
  const table = { name: 'firn.whole', columns: [ownColumn('k', 'bigint')] };
  const file = { table: table.name, uri: 's3://b/whole/1.parquet', rows, bytes: 1, sha256: '' };
  const replacing = engine.replace(table, rows === 0 ? [] : [file]);
  if (written === rows) return expect(await replacing).toBeUndefined();
  await expect(replacing).rejects.toMatchObject({
    code: 'contract',
    message: expect.stringMatching(/3 rows of s3:\/\/b\/whole\/1\.parquet, and Trino found/),
  });
});
