import { expect, test } from 'vitest';
import { temporaryWarehouse } from './temporaryWarehouse.ts';

test('an upgrade keeps a chain once that was pinned by two names, the C-Chain by its own', async () => {
  const before = await temporaryWarehouse([]);
  await before.run(
    `INSERT INTO firn.chain SELECT chain_id, alias, NULL, alias, 'evm', NULL, now()::TIMESTAMP
     FROM (VALUES ('P', 'P'), ('43114', 'id'), ('43114', 'C'), ('7', 'first'), ('7', 'second')) AS pinned (chain_id, alias);
     DELETE FROM main.firn_schema_version WHERE "version" >= 142`,
  );
  before.close();
  const warehouse = await temporaryWarehouse([], before.folder);
  const chains = await warehouse.query<{ alias: string }>('SELECT alias FROM firn.chain');
  expect(chains.map(({ alias }) => alias)).toEqual(['P', 'C', 'first']);
});
