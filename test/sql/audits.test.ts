import { beforeAll, describe, expect, test } from 'vitest';
import { FirnError } from '../../src/core/firnError.ts';
import { type Audit, parseAudit } from '../../src/transform/audits/parseAudit.ts';
import { protectedRelations } from '../../src/transform/audits/protectedRelations.ts';
import { readAudits } from '../../src/transform/audits/readAudits.ts';
import { dependents } from '../../src/transform/models/dependents.ts';
import { modelReferences } from '../../src/transform/models/modelReferences.ts';
import { placeModels } from '../../src/transform/models/placeModels.ts';
import { readModels } from '../../src/transform/models/readModels.ts';
import { recordedForFile } from './recordedWarehouse.ts';

const audits = await readAudits();
const warehouse = await recordedForFile();
/** What each audit, and each view, reads. */
let reads: ReadonlyMap<string, readonly string[]>;

beforeAll(async () => {
  const views = (await placeModels(warehouse, await readModels())).filter(({ keptAs }) => keptAs.kind === 'view');
  const found = [...(await modelReferences(warehouse, audits))].map(([name, of]): [string, readonly string[]] => {
    if (of instanceof FirnError) throw of;
    return [name, of.relations];
  });
  reads = new Map([...views.map(({ name, references }): [string, readonly string[]] => [name, references]), ...found]);
}, 600_000);

const primary = '11111111111111111111111111111111LpoYY';

/** The newest list of a stream was read in a later run than everything else that is held. */
const readLater = (of: string) => `INSERT INTO firn.load
  SELECT * REPLACE (load_id + 1000000 AS load_id, 'later' AS run_id) FROM firn.load WHERE ${of}`;
const validatorsReadLater = readLater(`stream = 'node/platform_validators' AND "partition" = 'subnet_id=${primary}'`);

/** A row of a covered day of a metric. */
const aDay = (metric: string) =>
  `metric = '${metric}' AND time_interval = 'day' AND covered AND numerator > 0 AND bucket = (
    SELECT max(bucket) - INTERVAL 5 DAY FROM mart.metric WHERE metric = '${metric}' AND time_interval = 'day' AND covered AND numerator > 0)`;

/** A block with transactions and receipts. */
const aBlock = `chain_id = '43112' AND "number" = (SELECT max("number") FROM mart.fct_block WHERE tx_count > 0 AND receipts_held)`;

/** Audits, each with something that harms a warehouse: that audit must find it, and no other, but for those named. */
const harms: readonly (readonly [audit: string, harm: string, alsoFoundBy?: readonly string[]])[] = [
  ['assert_balances_equal_utxos', 'UPDATE raw.node_platform_balances SET balance = balance + 1'],
  [
    'assert_balances_equal_utxos',
    `UPDATE raw.node_platform_balances SET _load_id = 1000000 WHERE utxo_ids <> '[]';
     INSERT INTO firn.load SELECT * REPLACE (1000000 AS load_id, 'later' AS run_id) FROM firn.load LIMIT 1;
     INSERT INTO raw.node_containers_p_inputs BY NAME
     SELECT i.* REPLACE (u.utxo_id AS utxo_id)
     FROM (FROM raw.node_containers_p_inputs ORDER BY "index" DESC, tx_id, input_index LIMIT 1) AS i,
       (SELECT f.utxo_id FROM mart.fct_utxo AS f
        JOIN raw.node_platform_balances AS b ON contains(CAST(b.utxo_ids AS VARCHAR), f.created_by_tx_id) AND list_contains(f.addresses, b.address)
        WHERE f.blockchain = 'P' AND f.state = 'unspent' AND f.utxo_id IN (SELECT utxo_id FROM staging.primary_output)
        ORDER BY f.utxo_id LIMIT 1) AS u`,
    // The made-up input repeats the amount of another.
    ['assert_inputs_equal_their_utxos'],
  ],
  [
    'assert_block_times_do_not_fall',
    `UPDATE mart.fct_block SET previous_time = block_time + INTERVAL 1 SECOND WHERE "number" = 100`,
  ],
  ['assert_blocks_unique', 'INSERT INTO mart.fct_block SELECT * FROM mart.fct_block WHERE "number" = 100'],
  [
    'assert_container_blocks_equal_rpc_blocks',
    `UPDATE raw.node_evm_blocks SET gas_used = gas_used + 1 WHERE "number" = 100`,
  ],
  [
    'assert_container_indexes_without_gap',
    `DELETE FROM raw.node_containers WHERE index_name = 'X/block' AND "index" = 10`,
  ],
  [
    'assert_container_transactions_equal_rpc_transactions',
    `UPDATE raw.node_containers_c_transactions SET "value" = "value" + 1 WHERE block_number = (SELECT max(block_number) FROM raw.node_containers_c_transactions)`,
  ],
  [
    'assert_cumulative_contracts_add_up',
    `UPDATE mart.metric SET numerator = numerator + 1 WHERE ${aDay('cumulativeContracts')}`,
  ],
  [
    'assert_cumulative_tx_count_adds_up',
    `UPDATE mart.metric SET numerator = numerator + 1 WHERE ${aDay('cumulativeTxCount')}`,
  ],
  [
    'assert_data_internal_transactions_equal_traces',
    'UPDATE raw.data_address_internal_transactions SET "value" = "value" + 1',
  ],
  [
    'assert_data_primary_transactions_equal_containers',
    `UPDATE raw.data_primary_transactions SET tx_type = 'OtherTx' WHERE tx_type = 'CreateSubnetTx'`,
  ],
  ['assert_data_token_transfers_equal_logs', 'UPDATE raw.data_token_transfers SET "value" = "value" + 1'],
  ['assert_data_utxos_equal_utxos', 'UPDATE raw.data_utxos SET amount = amount + 1 WHERE block_number = 20'],
  [
    'assert_data_utxos_equal_utxos',
    `${readLater(`stream = 'data/utxos'`)};
     UPDATE raw.data_utxos SET consuming_tx_hash = NULL WHERE blockchain = 'p-chain' AND consuming_block_number < 100`,
  ],
  ['assert_heights_without_gap', 'UPDATE mart.fct_block SET previous_time = NULL WHERE "number" = 100'],
  [
    'assert_inputs_equal_their_utxos',
    'UPDATE raw.node_containers_p_inputs SET amount = amount + 1 WHERE block_height = (SELECT max(block_height) FROM raw.node_containers_p_inputs)',
  ],
  [
    'assert_inputs_equal_their_utxos',
    `UPDATE raw.node_containers_p_outputs SET destination_chain_id = '${primary}' WHERE destination = 'exported'`,
  ],
  ['assert_logs_belong_to_receipts', `UPDATE raw.node_evm_logs SET transaction_hash = '0xother' WHERE ${aBlock}`],
  ['assert_logs_without_gap', `UPDATE raw.node_evm_logs SET log_index = log_index + 1 WHERE ${aBlock}`],
  ['assert_longer_buckets_add_up', `UPDATE mart.metric SET numerator = numerator + 1 WHERE ${aDay('gasUsed')}`],
  [
    'assert_longer_buckets_add_up',
    `DELETE FROM mart.metric AS h USING (SELECT chain_id, bucket FROM mart.metric WHERE ${aDay('txCount')}) AS d
     WHERE h.metric = 'txCount' AND h.time_interval = 'hour' AND h.chain_id = d.chain_id AND date_trunc('day', h.bucket) = d.bucket`,
  ],
  ['assert_metric_days_continuous', `DELETE FROM mart.metric WHERE ${aDay('maxTps')}`],
  [
    'assert_metric_rows_unique',
    `INSERT INTO mart.metric SELECT * FROM mart.metric WHERE metric = 'activeAddresses' AND time_interval = 'week' LIMIT 1`,
  ],
  ['assert_no_floating_point_amounts', 'CREATE TABLE mart.price AS SELECT 1.5::DOUBLE AS amount'],
  ['assert_no_floating_point_amounts', 'CREATE TABLE raw.price AS SELECT 1.5::REAL AS amount'],
  ['assert_no_floating_point_amounts', 'CREATE TABLE staging.price AS SELECT [1.5::FLOAT] AS amounts'],
  ['assert_no_floating_point_amounts', 'CREATE TABLE firn.price AS SELECT 1::HUGEINT AS amount'],
  [
    'assert_node_avm_transactions_equal_containers',
    `INSERT INTO raw.node_avm_transactions BY NAME
     SELECT tx_id, network_id, blockchain_id, tx_type, '0x6f74686572' AS memo, source_chain_id AS source_chain, destination_chain_id AS destination_chain,
       asset_name AS name, asset_symbol AS symbol, '[]' AS inputs, '[]' AS outputs, 1 AS _load_id
     FROM raw.node_containers_x_transactions WHERE tx_type = 'BaseTx' LIMIT 1`,
  ],
  [
    'assert_node_blockchains_equal_containers',
    `UPDATE raw.node_platform_blockchains SET vm_id = 'other' WHERE blockchain_id IN (SELECT blockchain_id FROM raw.node_containers_p_blockchains)`,
  ],
  [
    'assert_node_containers_decoded',
    `UPDATE raw.node_containers SET decode_error = 'Unknown type' WHERE index_name = 'P/block' AND "index" = 10`,
  ],
  [
    'assert_node_containers_link',
    `UPDATE raw.node_containers SET parent_id = 'other' WHERE index_name = 'P/block' AND "index" = 10`,
  ],
  [
    'assert_node_decoded_transactions_complete',
    `DELETE FROM raw.node_containers_x_transactions WHERE index_name = 'X/block' AND "index" = (SELECT max("index") FROM raw.node_containers_x_transactions)`,
  ],
  [
    'assert_node_evidence_unbroken',
    `INSERT INTO firn.evidence BY NAME
     SELECT chain_id, "number", hash AS block_hash, 'proven' AS signature, 'proven' AS container, 'proven' AS header, 'proven' AS parent,
       'proven' AS transactions, 'proven' AS senders, 'broken' AS receipts, 'proven' AS prices, 'proven' AS gas, 'proven' AS bloom,
       'proven' AS atomic_data, 'proven' AS withdrawals, 'receipts' AS broken, now()::TIMESTAMP AS proven_at
     FROM mart.fct_block WHERE "number" = 100`,
  ],
  [
    'assert_node_l1_validators_equal_platform',
    `INSERT INTO raw.node_l1_validators BY NAME
     SELECT '99001' AS chain_id, validation_id, node_id, weight, block_timestamp + INTERVAL 1 SECOND AS start_timestamp, true AS is_active,
       true AS is_l1_validator, true AS is_connected, 0 AS uptime_seconds, 0 AS uptime_percentage, 1 AS _load_id, now()::TIMESTAMP AS _valid_from
     FROM raw.node_containers_p_l1_validators WHERE event IN ('converted', 'registered') LIMIT 1`,
  ],
  [
    'assert_node_platform_json_equals_bytes',
    `UPDATE raw.node_platform_blocks SET difference = 'time' WHERE height = 5`,
  ],
  [
    'assert_node_primary_heights_follow',
    `UPDATE raw.node_containers_x_blocks SET height = height + 1 WHERE "index" = (SELECT max("index") FROM raw.node_containers_x_blocks)`,
  ],
  ['assert_node_rewards_go_to_their_owners', `UPDATE raw.node_platform_reward_utxos SET addresses = ['local1other']`],
  ['assert_traces_go_on', `UPDATE raw.node_evm_trace_status SET trace_status = 'not_offered' WHERE ${aBlock}`],
  ['assert_parent_hashes_link', 'UPDATE mart.fct_block SET linked = false WHERE "number" = 100'],
  ['assert_platform_json_equals_containers', `UPDATE raw.node_platform_blocks SET block_id = 'other' WHERE height = 5`],
  [
    'assert_primary_transactions_make_no_avax',
    `INSERT INTO mart.fct_primary_transaction SELECT * REPLACE ('made up' AS tx_id, -1 AS amount_burned) FROM mart.fct_primary_transaction LIMIT 1`,
  ],
  [
    'assert_receipt_gas_equals_header_gas',
    `UPDATE mart.fct_block SET receipt_gas_used = receipt_gas_used + 1 WHERE ${aBlock}`,
  ],
  [
    'assert_receipts_belong_to_transactions',
    `UPDATE raw.node_evm_receipts SET from_address = '0xother' WHERE ${aBlock}`,
  ],
  ['assert_receipts_equal_transactions', `UPDATE mart.fct_block SET receipt_count = receipt_count + 1 WHERE ${aBlock}`],
  [
    'assert_receipts_have_their_logs',
    `DELETE FROM raw.node_evm_logs WHERE chain_id = '43112' AND "number" = (SELECT max("number") FROM raw.node_evm_logs WHERE chain_id = '43112')`,
  ],
  [
    'assert_supply_grows_by_rewards',
    `INSERT INTO raw.node_platform_supply BY NAME
     SELECT * REPLACE (height - 1 AS height, supply - 1 AS supply) FROM raw.node_platform_supply`,
  ],
  [
    'assert_traces_begin_with_their_transaction',
    `UPDATE raw.node_evm_traces SET from_address = '0xother' WHERE frame = 0 AND ${aBlock}`,
  ],
  ['assert_uncovered_metrics_have_no_number', `UPDATE mart.metric SET denominator = 0 WHERE ${aDay('avgGasPrice')}`],
  ['assert_uncovered_metrics_have_no_number', `UPDATE mart.metric SET denominator = NULL WHERE ${aDay('avgGasPrice')}`],
  ['assert_uncovered_metrics_have_no_number', `UPDATE mart.metric SET numerator = NULL WHERE ${aDay('avgGasPrice')}`],
  ['assert_utxos_unique', `INSERT INTO mart.fct_utxo SELECT * FROM mart.fct_utxo WHERE blockchain = 'X' LIMIT 1`],
  ['assert_validators_equal_staking', 'UPDATE raw.node_platform_delegators SET weight = weight + 1'],
  [
    'assert_validators_equal_staking',
    `${validatorsReadLater};
     INSERT INTO raw.node_platform_delegators BY NAME
     SELECT d.* REPLACE (s.tx_id AS tx_id, s.node_id AS node_id, s.weight AS weight, s.start_time AS start_time, s.end_time AS end_time)
     FROM (FROM raw.node_platform_delegators LIMIT 1) AS d,
       (FROM raw.node_containers_p_staking WHERE "role" = 'delegator' AND tx_id IN (SELECT staking_tx_id FROM staging.primary_reward) LIMIT 1) AS s`,
  ],
  [
    'assert_validators_equal_staking',
    `${validatorsReadLater};
     UPDATE mart.fct_staking SET state = 'active', end_time = TIMESTAMP '2100-01-01'
     WHERE tx_id = (SELECT min(tx_id) FROM mart.fct_staking WHERE source = 'containers' AND state = 'ended' AND subnet_id = '${primary}')`,
  ],
];

/** The audits that can find something else after a harm: those that read what it changes, or the catalogue. Tables of models stay as they are. */
function touchedBy(harm: string): readonly Audit[] {
  const changed = [...harm.matchAll(/\b(?:UPDATE|INTO|DELETE FROM|CREATE TABLE) (\w+\.\w+)/g)].map(
    ([, name = '']) => name,
  );
  expect(changed, harm).not.toEqual([]);
  const readers = dependents(changed, reads);
  return audits.filter(
    ({ name }) => readers.has(name) || reads.get(name)?.every((read) => read.startsWith('information_schema.')),
  );
}

/** Names of those audits that find rows. */
async function found(of: readonly Audit[] = audits): Promise<string[]> {
  const names: string[] = [];
  for (const { name, sql } of of) {
    const rows = await warehouse.query(`SELECT 1 FROM (${sql}\n) LIMIT 1`);
    if (rows.length > 0) names.push(name);
  }
  return names;
}

test('every audit has a harm that it finds', () => {
  expect([...new Set(harms.map(([audit]) => audit))].sort()).toEqual(audits.map(({ name }) => name));
});

test("a sound warehouse passes all, whatever stands in schemas of one's own", async () => {
  await warehouse.run('CREATE SCHEMA own; CREATE TABLE own.price AS SELECT 1.5::DOUBLE AS amount');
  expect(await found()).toEqual([]);
});

describe('of a harmed warehouse', () => {
  test.each(harms.map(([audit, harm, alsoFoundBy = []]) => ({ audit, harm, alsoFoundBy })))(
    '$audit finds $harm',
    async ({ audit, harm, alsoFoundBy }) => {
      await warehouse.run('BEGIN TRANSACTION');
      try {
        await warehouse.run(harm);
        const { line, sql } = audits.find(({ name }) => name === audit) ?? {};
        const said = `sql/audits/${audit}.sql:${line}: does not find the harm, or is not alone. To see it, paste into a warehouse: BEGIN; ${harm}; ${sql}; ROLLBACK;\n`;
        expect(await found(touchedBy(harm)), said).toEqual([audit, ...alsoFoundBy].sort());
      } finally {
        await warehouse.run('ROLLBACK');
      }
    },
  );
});

describe('the header', () => {
  test.each(audits.map((audit): [string, Audit] => [audit.name, audit]))(
    'of %s names what there is',
    async (_, audit) => {
      const relations = await warehouse.query<{ name: string }>(
        `SELECT schema_name || '.' || table_name AS name FROM duckdb_tables() UNION SELECT schema_name || '.' || view_name FROM duckdb_views()`,
      );
      const names = relations.map(({ name }) => name);
      for (const pattern of audit.protects) expect(protectedRelations(pattern, names), pattern).not.toEqual([]);
      expect(audit.description.length).toBeGreaterThan(10);
    },
  );

  test.each([
    ['SELECT 1', /^sql\/audits\/assert_x\.sql:1: write a header first/],
    [
      '/*\nclaim: One row a height.\nprotects: [mart.a]\n*/\nSELECT 1',
      /assert_x\.sql:2: the header's severity: write blocks/,
    ],
    [
      '/*\nclaim: One row a height.\nprotects: []\nseverity: warns\n*/\nSELECT 1',
      /x\.sql:3: the header's protects: name the/,
    ],
    [
      '/*\nclaim: One row a height.\nprotects:\n  - mart.a\n  - b\nseverity: loud\n*/\nSELECT 1',
      /x\.sql:5: .*\n.*x\.sql:6: /,
    ],
  ])('%j is refused with file and line', (text, message) => {
    expect(() => parseAudit('sql/audits/assert_x.sql', text)).toThrow(message);
  });

  test('is read whole', () => {
    const text =
      '/*\nclaim: >-\n  One claim,\n  in two lines.\nprotects: [mart.a, raw.b_*]\nseverity: warns\n*/\n\n-- why\nSELECT 1;\n';
    expect(parseAudit('sql/audits/assert_x.sql', text)).toEqual({
      name: 'assert_x',
      file: 'sql/audits/assert_x.sql',
      description: 'One claim, in two lines.',
      protects: ['mart.a', 'raw.b_*'],
      severity: 'warns',
      sql: '-- why\nSELECT 1',
      line: 9,
    });
  });
});
