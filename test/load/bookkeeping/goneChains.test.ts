import { expect, test } from 'vitest';
import { goneChains } from '../../../src/load/bookkeeping/goneChains.ts';
import { temporaryWarehouse } from '../temporaryWarehouse.ts';

test('an L1 is gone of which neither blocks nor checkpoints are left, but for served values', async () => {
  const warehouse = await temporaryWarehouse([]);
  expect(await goneChains(warehouse)).toEqual(new Set());
  const held = `SELECT 'blocks' AS chain_id, 7 AS "number"`;
  await warehouse.run(`CREATE SCHEMA IF NOT EXISTS staging;
    CREATE VIEW staging.evm_block AS ${held};
    CREATE TABLE raw.metrics_chain_metrics_revisions AS ${held};
    INSERT INTO firn.chain BY NAME
      SELECT *, chain_id AS name, 'evm' AS vm, now()::TIMESTAMP AS pinned_at
      FROM (VALUES ('gone', 'a', 'a'), ('blocks', 'b', 'b'), ('address', 'd', 'd'), ('backfill', 'e', 'e'), ('every', 'C', 'c')) AS c (chain_id, alias, blockchain_id);
    INSERT INTO firn.checkpoint BY NAME SELECT *, '{}' AS "position", 1 AS load_id, now()::TIMESTAMP AS updated_at FROM (VALUES
      ('metrics/chain_metrics', 'chain_id=gone,metric=txCount'), ('data/address_transactions', 'address=0x1,chain_id=address'),
      ('node/evm_blocks', 'chain_id=backfill|backfill')) AS p (stream, "partition")`);
  expect(await goneChains(warehouse)).toEqual(new Set(['gone']));
});
