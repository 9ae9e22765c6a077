import { expect, test } from 'vitest';
import { freezeHistory, unmetChains } from '../../src/retention/freezeHistory.ts';
import { temporaryWarehouse } from '../load/temporaryWarehouse.ts';

test('a chain of which blocks went stays as it is until the hour after the first that stays', async () => {
  const warehouse = await temporaryWarehouse([]);
  await warehouse.run(`CREATE SCHEMA IF NOT EXISTS mart; CREATE TABLE mart.fct_block AS FROM (VALUES
      ('goes on', 1, TIMESTAMP '2026-01-05 10:15:00'), ('goes on', 2, TIMESTAMP '2026-02-01 05:59:59'), ('goes on', 3, TIMESTAMP '2026-02-01 07:00:00'),
      ('to the second', 1, TIMESTAMP '2026-01-31 23:59:59'), ('to the second', 2, TIMESTAMP '2026-02-01 00:00:00'),
      ('to the second', 3, TIMESTAMP '2026-02-01 01:00:00'),
      ('is quiet', 1, TIMESTAMP '2026-01-05 10:15:00'), ('is quiet', 2, TIMESTAMP '2026-01-20 10:15:00'),
      ('slept', 1, TIMESTAMP '2025-12-31 23:59:59'), ('slept', 2, TIMESTAMP '2026-01-05 10:15:00'), ('slept', 3, TIMESTAMP '2026-01-20 10:15:00'),
      ('has one hour since', 1, TIMESTAMP '2025-12-05 10:15:00'), ('has one hour since', 2, TIMESTAMP '2026-01-20 10:00:00'),
      ('is read', 1, TIMESTAMP '2026-01-05 10:15:00'), ('is read', 2, TIMESTAMP '2026-02-01 10:15:00'), ('is read', 3, TIMESTAMP '2026-02-02 10:15:00'),
      ('is new', 0, TIMESTAMP '2020-01-01 00:00:00'), ('is new', 1, TIMESTAMP '2026-02-01 00:00:00'), ('is new', 2, TIMESTAMP '2026-02-01 01:00:00'),
      ('keeps all', 1, TIMESTAMP '2026-01-05 10:15:00'), ('keeps all', 2, TIMESTAMP '2026-02-01 10:15:00'), ('keeps all', 3, TIMESTAMP '2026-02-01 11:15:00'),
      ('of an index', 1, TIMESTAMP '2026-01-05 10:15:00'), ('of an index', 2, TIMESTAMP '2026-02-01 10:15:00'), ('of an index', 3, TIMESTAMP '2026-02-01 11:15:00'),
      ('stays longer', 1, TIMESTAMP '2026-01-05 10:15:00'), ('stays longer', 2, TIMESTAMP '2026-02-01 10:15:00'), ('stays longer', 3, TIMESTAMP '2026-02-01 11:15:00')
    ) AS block (chain_id, "number", block_time);
    INSERT INTO firn.chain VALUES ('of an index', 'C', 'c', 'C', 'evm', NULL, now()::TIMESTAMP);
    INSERT INTO firn.frozen VALUES ('stays longer', TIMESTAMP '2026-02-06'), ('has no block', TIMESTAMP '2026-01-01')`);
  const lost = [
    'goes on',
    'to the second',
    'is quiet',
    'slept',
    'has one hour since',
    'is read',
    'is new',
    'stays longer',
    'C/block',
  ];
  for (const _ of ['once', 'again']) {
    await freezeHistory(warehouse, '2026-02-01 00:00:00', { waiting: ['is read'], lost });
    const frozen = await warehouse.query<{ chain_id: string; until: string }>(
      'SELECT chain_id, CAST(until AS VARCHAR) AS until FROM firn.frozen ORDER BY chain_id',
    );
    expect(frozen.map(({ chain_id, until }) => [chain_id, until])).toEqual([
      ['goes on', '2026-02-01 06:00:00'],
      ['has no block', '2026-01-01 00:00:00'],
      ['is new', '2026-02-01 01:00:00'],
      ['of an index', '2026-02-01 11:00:00'],
      ['slept', '2026-01-05 11:00:00'],
      ['stays longer', '2026-02-06 00:00:00'],
      ['to the second', '2026-02-01 01:00:00'],
    ]);
  }
});

test('of chains wait those of which blocks below others are still to be read', async () => {
  const warehouse = await temporaryWarehouse([]);
  expect(await unmetChains(warehouse)).toEqual([]);
  const at = (day: number) => `TIMESTAMP '2026-01-${String(day).padStart(2, '0')}'`;
  /** Blocks of a chain, each linked to the one before it unless it says that it is not. */
  const blocks = (chain: string, ...of: readonly [number: number, source: string, isLinked?: boolean][]) =>
    of.map(
      ([number, source, isLinked = true]) =>
        `('${chain}', ${number}, ${at(number)}, ${isLinked ? at(number - 1) : 'NULL'}, '${source}')`,
    );
  const rows = [
    ...blocks('is whole', [1, 'node', false], [2, 'node'], [3, 'node']),
    ...blocks('begins late', [8, 'node', false], [9, 'node']),
    ...blocks('has a hole', [1, 'node', false], [2, 'node'], [8, 'node', false], [9, 'node']),
    ...blocks('is of the data service', [2, 'node'], [8, 'data', false], [9, 'data']),
    ...blocks('is read in two ways', [1, 'containers', false], [2, 'containers'], [8, 'node', false], [9, 'node']),
    ...blocks('was dropped below', [2, 'containers'], [8, 'node', false], [9, 'node']),
    ...blocks('is read further down', [8, 'node', false], [9, 'node']),
    ...blocks('of an index', [8, 'containers', false], [9, 'containers']),
  ];
  await warehouse.run(`CREATE SCHEMA IF NOT EXISTS mart;
    CREATE TABLE mart.fct_block AS FROM (VALUES ${rows.join(', ')}) AS b (chain_id, "number", block_time, previous_time, source);
    INSERT INTO firn.frozen VALUES ('was dropped below', ${at(9)});
    INSERT INTO firn.chain VALUES ('is read further down', 'a', 'a', 'A', 'evm', NULL, now()::TIMESTAMP), ('of an index', 'c', 'c', 'C', 'evm', NULL, now()::TIMESTAMP);
    INSERT INTO firn.checkpoint VALUES ('node/evm_blocks', 'chain_id=is read further down|backfill', '{}', 1, now()::TIMESTAMP),
      ('node/containers', 'index_name=C/block|backfill', '{}', 1, now()::TIMESTAMP)`);
  expect(await unmetChains(warehouse)).toEqual([
    'A/block',
    'C/block',
    'is read further down',
    'is read in two ways',
    'of an index',
  ]);
});
