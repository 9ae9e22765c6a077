import { expect, test } from 'vitest';
import { createTrinoEngine } from '../../../src/cluster/engine/trinoEngine.ts';
import type { TrinoClient } from '../../../src/cluster/trino/trinoClient.ts';
import { verifySnapshots } from '../../../src/cluster/verify/verifySnapshots.ts';

test('a table that is gone, or whose snapshot is, is told, and the others are read', async () => {
  const run = async (sql: string) => {
    if (sql.includes('fct_gone')) throw new Error('There is no such table.');
    const held = ['fct_block', 'fct_forgotten'].map((name) => ({ relation: `firn_mart.${name}` }));
    const rows = sql.includes('information_schema.tables')
      ? held
      : sql.includes('$snapshots')
        ? [{ name: 'mart.fct_block', rows: '3', files: '1', bytes: '9' }]
        : [{ held: 3n }];
    return { query: 'q', rows, types: {}, written: 0 };
  };
  const client = { run } as unknown as TrinoClient;
  const engine = createTrinoEngine({ client, schema: 'firn', stageCatalog: 'stage', stageRoot: 's3://b/' });
  const tables = ['fct_block', 'fct_forgotten', 'fct_gone'].map((name) => ({
    name: `mart.${name}`,
    snapshot: '7',
    columns: ['hash'],
  }));
  expect(await verifySnapshots(engine, tables, {})).toEqual({
    rows: 3,
    files: 1,
    bytes: 9,
    failures: [
      {
        check: 'missing',
        item: 'mart.fct_forgotten',
        message: expect.stringMatching(/^snapshot 7 is gone.*firn publish/),
      },
      { check: 'missing', item: 'mart.fct_gone', message: expect.stringMatching(/^the table is gone.*firn run/) },
    ],
  });
});
