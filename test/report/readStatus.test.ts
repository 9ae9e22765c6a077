import { expect, test } from 'vitest';
import { readRelations } from '../../src/report/readRelations.ts';
import { readStatus } from '../../src/report/readStatus.ts';
import { temporaryWarehouse } from '../load/temporaryWarehouse.ts';

test('the newest block of an index that was switched on late is the decoded one, not the place of its container', async () => {
  const warehouse = await temporaryWarehouse([]);
  await warehouse.run(`
    INSERT INTO firn.chain (chain_id, name, alias, vm, pinned_at) VALUES ('p', 'P-Chain', 'P', 'platform', '2026-01-01'), ('x', 'X-Chain', 'X', 'avm', '2026-01-02');
    CREATE TABLE raw.node_containers (index_name VARCHAR, "index" BIGINT, "timestamp" TIMESTAMP);
    INSERT INTO raw.node_containers VALUES ('P/block', 0, '2026-01-20 00:00:00'), ('P/block', 1, '2026-01-20 00:00:01'), ('X/block', 7, '2026-01-21');
    CREATE TABLE raw.node_containers_p_blocks (index_name VARCHAR, "index" BIGINT, height BIGINT, "timestamp" TIMESTAMP);
    INSERT INTO raw.node_containers_p_blocks VALUES ('P/block', 0, 5000, '2024-05-05'), ('P/block', 1, 5001, '2024-05-06')`);
  const context = { now: 0, firnVersion: '', running: null, runs: [], unresolved: null, dailyQuota: {}, pipelines: [] };
  const { chains } = await readStatus(warehouse, await readRelations(warehouse), { ...context, times: new Map() });
  expect(chains).toMatchObject([
    { chainId: 'p', newestBlock: 5001, newestTime: Date.UTC(2024, 4, 6) },
    { chainId: 'x', newestBlock: null, newestTime: Date.UTC(2026, 0, 21) },
  ]);
});
