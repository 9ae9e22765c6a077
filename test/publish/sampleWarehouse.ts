import { constants, cp } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Layouts } from '../../src/core/columns/layout.ts';
import { openWarehouse, type Warehouse } from '../../src/load/state/warehouse.ts';
import { publish } from '../../src/publish/publish.ts';
import { folderMadeOnce } from '../folderMadeOnce.ts';
import { temporary } from '../temporaryFolders.ts';

/** A name that needs quoting in SQL and in globs. */
export const awkward = "firn publish [1]'";

/** How the sample's tables are cut and ordered. */
export const layouts: Layouts = new Map([
  [
    'raw.node_evm_blocks',
    { chain: 'chain_id', by: { kind: 'time', column: 'timestamp' }, sort: ['chain_id', 'number'] },
  ],
  [
    'raw.node_evm_transactions',
    {
      chain: 'chain_id',
      by: { kind: 'height', column: 'number' },
      sort: ['chain_id', 'number', 'tx_index'],
      timesOf: 'raw.node_evm_blocks',
    },
  ],
  [
    'mart.metric',
    {
      chain: 'chain_id',
      by: { kind: 'time', column: 'bucket' },
      sort: ['chain_id', 'metric', 'time_interval', 'bucket'],
    },
  ],
]);

/** Sizes by which its tables are large. */
export const cut = { layouts, fileBytes: 500 };

/** A warehouse with tables of every awkward kind: two chains, three months, wide numbers, bytes, lists, odd text. */
export async function sampleWarehouse(folder?: string): Promise<Warehouse> {
  const own = folder ?? (await temporary(awkward));
  const made = await folderMadeOnce('sample', makeSample);
  await cp(join(made, '.state'), join(own, '.state'), { recursive: true, mode: constants.COPYFILE_FICLONE });
  const warehouse = await openWarehouse({ folder: own, tables: [] });
  onTestFinished(() => warehouse.close());
  return warehouse;
}

/** The state that all copy, with what reader databases begin from. */
async function makeSample(folder: string): Promise<void> {
  const warehouse = await openWarehouse({ folder, tables: [] });
  await warehouse.run(sampleSql);
  await publish(warehouse, { runId: 'none' });
  warehouse.close();
}

const sampleSql = `
CREATE TABLE raw.node_evm_blocks (
  chain_id VARCHAR NOT NULL, "number" BIGINT NOT NULL, hash VARCHAR, parent_hash VARCHAR, "timestamp" TIMESTAMP NOT NULL,
  gas_used BIGINT, nonce UBIGINT, "value" DECIMAL(38,0), value_text VARCHAR, raw BLOB, tags VARCHAR[], note VARCHAR,
  _load_id BIGINT NOT NULL, _extra VARCHAR
);
COMMENT ON TABLE raw.node_evm_blocks IS 'Blocks of the C-Chain''s kind.';
COMMENT ON COLUMN raw.node_evm_blocks.gas_used IS 'Gas used by the block. [gas]';
INSERT INTO raw.node_evm_blocks
SELECT chain_id, i, 'h' || i, 'h' || (i - 1), TIMESTAMP '2025-12-31 20:00:00.123456' + to_hours(i::INTEGER), i * 21000,
  CASE WHEN i % 7 = 0 THEN 18446744073709551615 ELSE i END::UBIGINT,
  CASE i % 5 WHEN 0 THEN NULL WHEN 1 THEN 99999999999999999999999999999999999999::DECIMAL(38,0)
    WHEN 2 THEN -99999999999999999999999999999999999999::DECIMAL(38,0) WHEN 3 THEN 0 ELSE i END,
  CASE WHEN i % 5 = 0 THEN '115792089237316195423570985008687907853269984665640564039457584007913129639935' END,
  CASE WHEN i % 3 = 0 THEN NULL ELSE '\\x00\\xFF\\x80abc'::BLOB END,
  CASE i % 4 WHEN 0 THEN NULL WHEN 1 THEN [] WHEN 2 THEN ['a', NULL, 'it''s'] ELSE ['❄'] END,
  CASE i % 4 WHEN 0 THEN 'nul' || chr(0) || 'in' WHEN 1 THEN '🏔️ "quoted" ''text''' WHEN 2 THEN '' END,
  1 + i // 100, NULL
FROM (VALUES ('43114'), ('2oYMB/x y')) AS c(chain_id), range(1, 1000) AS r(i);

CREATE TABLE raw.node_evm_transactions (
  chain_id VARCHAR NOT NULL, "number" BIGINT NOT NULL, tx_index INTEGER, "value" DECIMAL(38,0), block_timestamp TIMESTAMP, _load_id BIGINT NOT NULL
);
INSERT INTO raw.node_evm_transactions
SELECT '43114', i * 4000, t, i::DECIMAL(38,0) * 10000000000000000000000000000, NULL, 1 FROM range(500) AS r(i), range(2) AS s(t);

CREATE TABLE raw.node_platform_validators (tx_id VARCHAR, weight UBIGINT, _load_id BIGINT NOT NULL, _valid_from TIMESTAMP, _valid_to TIMESTAMP);
INSERT INTO raw.node_platform_validators VALUES ('a', 18446744073709551615, 1, '2026-01-01', NULL), ('b', 0, 1, '2026-01-01', NULL);

CREATE TABLE raw.data_nothing (chain_id VARCHAR, "timestamp" TIMESTAMP, amount DECIMAL(38,0));

CREATE MACRO main.firn_quotient(a, b) AS CASE WHEN b <> 0 THEN a / b END;
CREATE MACRO main.z_half("at") AS firn_quotient("at", 2), (a, b) AS a + b;
CREATE MACRO main.a_half("number") AS z_half("number");
CREATE MACRO main.some_blocks(least) AS TABLE SELECT * FROM raw.node_evm_blocks WHERE "number" >= least;
CREATE VIEW staging.evm_block AS SELECT chain_id, "number", "timestamp" AS block_timestamp, nonce FROM raw.node_evm_blocks;
COMMENT ON VIEW staging.evm_block IS 'One source per block.';
COMMENT ON COLUMN staging.evm_block.nonce IS 'Nonce.';
CREATE VIEW staging.a_block AS SELECT *, a_half("number") AS half FROM staging.evm_block WHERE "number" % 2 = 0;

CREATE TABLE mart.metric (
  chain_id VARCHAR, metric VARCHAR, time_interval VARCHAR, bucket TIMESTAMP, numerator DECIMAL(38,0), denominator DECIMAL(38,0), "value" DOUBLE
);
INSERT INTO mart.metric SELECT '43114', m, 'day', TIMESTAMP '2025-11-01' + to_days(d::INTEGER), d * 1000, 3, d * 1000 / 3.0
FROM (VALUES ('txCount'), ('gasUsed')) AS v(m), range(100) AS r(d);

INSERT INTO firn.run VALUES ('r1', 'sync', '2026-02-15 00:00:00', NULL, NULL, NULL);
`;
