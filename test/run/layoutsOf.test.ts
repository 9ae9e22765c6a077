import { expect, test } from 'vitest';
import { actions, catalogue } from '../../pipelines/index.ts';
import { duckdbType } from '../../src/core/columns/columnType.ts';
import { tablesOf } from '../../src/core/stream/stream.ts';
import { layoutsOf } from '../../src/run/layoutsOf.ts';
import { readModels } from '../../src/transform/models/readModels.ts';

const declared = [...catalogue, ...actions];
const tables = tablesOf(declared);

test.each([
  [
    'raw.node_evm_blocks',
    { chain: 'chain_id', by: { kind: 'time', column: 'timestamp' }, sort: ['chain_id', 'number'] },
  ],
  [
    'raw.node_evm_logs',
    {
      chain: 'chain_id',
      by: { kind: 'height', column: 'number' },
      sort: ['chain_id', 'number', 'log_index'],
      timesOf: 'raw.node_evm_blocks',
    },
  ],
  ['raw.data_primary_transactions_amounts', { chain: 'blockchain', by: { kind: 'time', column: 'block_timestamp' } }],
  ['raw.metrics_chain_metrics_revisions', { by: { kind: 'time', column: 'timestamp' } }],
  ['raw.data_validators', { sort: ['tx_hash', 'node_id', '_valid_from'] }],
  [
    'raw.data_validators_daily',
    { by: { kind: 'time', column: 'day' }, sort: ['tx_hash', 'node_id', 'day'], ofReads: true },
  ],
  ['mart.fct_log', { chain: 'chain_id', by: { kind: 'time', column: 'block_time' } }],
  ['mart.metric_daily', { sort: ['chain_id', 'day'] }],
])('%s', async (name, expected) => {
  expect(layoutsOf(declared, await readModels()).get(name)).toMatchObject(expected);
});

test('every raw table names columns that it has, is cut by one that is always known, and takes times from one that has them', () => {
  const layouts = layoutsOf(declared, []);
  for (const { name, columns } of tables) {
    const layout = layouts.get(name);
    const names = columns.map((column) => column.name);
    expect(names, name).toEqual(expect.arrayContaining([...(layout?.sort ?? ['no layout'])]));
    if (!layout?.by) continue;
    const cut = columns.find((column) => column.name === layout.by?.column);
    expect(cut?.nullable, `${name} ${layout.by.column}`).toBe(false);
    expect(duckdbType(cut?.type ?? 'varchar')).toMatch(layout.by.kind === 'time' ? /^TIMESTAMP/ : /INT$/);
    const times = layout.timesOf === undefined ? undefined : layouts.get(layout.timesOf);
    if (times) expect({ ...times.by, chain: times.chain }).toMatchObject({ kind: 'time', chain: layout.chain });
  }
});

test('every mart that people join has files; those of single metrics are in mart.metric', async () => {
  const marts = (await readModels()).filter(({ name }) => name.startsWith('mart.'));
  expect(marts.filter(({ files, metric }) => !files && !metric).map(({ name }) => name)).toEqual([]);
});
