import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openWarehouse, type Warehouse } from '../../src/load/state/warehouse.ts';
import { everyInterval, metrics as specified } from '../pipelines/specification.ts';
import { placeState } from '../placeState.ts';

export interface SampleOptions {
  /** Days of history, from 2026-01-20. */
  readonly days?: number;
  /** Hours between the buckets by hour. */
  readonly hourStep?: number;
  /** Chain ids; the first is the C-Chain. */
  readonly chains?: readonly string[];
  /** Whether some served numbers are wrong, records are quarantined and a stream fails. */
  readonly troubles?: boolean;
  /** A statement that changes it in the end. */
  readonly last?: string;
  /** Where it is made; a folder of its own where this is left out. */
  readonly folder?: string;
}

export interface Sample {
  readonly folder: string;
  readonly warehouse: Warehouse;
  close(): Promise<void>;
}

/** Markup where a name should be: what a token, a chain or an error message may hold. */
export const hostile = `<img src=x onerror="document.title='owned'"></script><script>document.title='owned'</script>'"&`;

const dayOnly = specified.filter((name) => !everyInterval.some((other) => other === name));

/** A warehouse as a run leaves it, filled by SQL: metrics of all kinds, verdicts, loads, runs, coverage. */
export async function sampleWarehouse(options: SampleOptions = {}): Promise<Sample> {
  const { days = 75, hourStep = 6, chains = ['43112', '99999'], troubles = false, last } = options;
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'firn-report-')));
  await placeState(folder, []);
  const warehouse = await openWarehouse({ folder, tables: [] });
  const statements = [
    network(chains),
    coverage(chains, days, hourStep),
    metrics(chains),
    reconciliation,
    bookkeeping(days),
  ];
  for (const sql of [...statements, ...(troubles ? [wrongs] : []), ...(last ? [last] : [])]) await warehouse.run(sql);
  return {
    folder,
    warehouse,
    async close() {
      warehouse.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const list = (names: readonly string[]) => names.map((name) => `('${name.replaceAll("'", "''")}')`).join(', ');

const network = (chains: readonly string[]) => `
INSERT INTO firn.network VALUES (12345, 'local', 'local', TIMESTAMP '2026-04-05 00:00:00');
${chains
  .map(
    (chain, index) =>
      `INSERT INTO firn.chain VALUES ('${chain}', '${index === 0 ? 'C-Chain' : `L1 ${index}`}', 'id${index}', '${index === 0 ? 'C' : `L${index}`}', 'evm', NULL, TIMESTAMP '2026-04-05 00:00:00');`,
  )
  .join('\n')}
INSERT INTO firn.chain VALUES ('11111111111111111111111111111111LpoYY', 'P-Chain', '11111111111111111111111111111111LpoYY', 'P', 'platform', NULL, TIMESTAMP '2026-04-05 00:00:01');
CREATE TABLE raw.node_containers (index_name VARCHAR, "index" BIGINT, "timestamp" TIMESTAMP, timestamp_text VARCHAR);
INSERT INTO raw.node_containers SELECT n, i, TIMESTAMP '2026-01-20' + to_minutes(i::INTEGER * 60), NULL FROM (VALUES ('C/block'), ('P/block')) AS v(n), range(1000) AS r(i);
CREATE TABLE raw.node_evm_blocks (chain_id VARCHAR, "number" BIGINT, "timestamp" TIMESTAMP);
INSERT INTO raw.node_evm_blocks SELECT n, i, TIMESTAMP '2026-01-20' + to_minutes(i::INTEGER * 20) FROM (VALUES ${list(chains)}) AS v(n), range(1, 5000) AS r(i);
`;

const coverage = (chains: readonly string[], days: number, hourStep: number) => `
CREATE TABLE firn.coverage (chain_id VARCHAR, time_interval VARCHAR, bucket TIMESTAMP, state VARCHAR, blocks BIGINT, first_block BIGINT,
  last_block BIGINT, last_block_time TIMESTAMP, transactions BIGINT, blocks_covered BOOLEAN, receipts_covered BOOLEAN, traces_covered BOOLEAN);
INSERT INTO firn.coverage
SELECT chain, interval, date_trunc(interval, min(moment)), CASE WHEN max(day) >= ${days - 1} THEN 'open' WHEN max(day) >= ${days - 4} THEN 'closed' ELSE 'settled' END,
  sum(72), min(day) * 72 + 1, max(day) * 72 + 72, max(moment) + INTERVAL 50 MINUTE, sum(170), true, true, true
FROM (
  SELECT chain, day, hour, TIMESTAMP '2026-01-20' + to_days(day::INTEGER) + to_hours(hour::INTEGER) AS moment
  FROM (VALUES ${list(chains)}) AS c(chain), range(${days}) AS d(day), range(0, 24, ${hourStep}) AS h(hour)
), (VALUES ('hour'), ('day'), ('week'), ('month')) AS i(interval)
GROUP BY chain, interval, date_trunc(interval, moment);
`;

const metrics = (chains: readonly string[]) => `
CREATE TABLE mart.metric (chain_id VARCHAR, metric VARCHAR, time_interval VARCHAR, bucket TIMESTAMP, numerator DECIMAL(38,0), denominator DECIMAL(38,0),
  "value" DOUBLE, state VARCHAR, covered BOOLEAN, first_block BIGINT, last_block BIGINT, sql_hash VARCHAR, source VARCHAR);
INSERT INTO mart.metric
SELECT chain_id, metric, time_interval, bucket, n, d, n::DOUBLE / d::DOUBLE, state, true, first_block, last_block, 'abc', 'node/evm_blocks'
FROM (
  SELECT *,
    CASE
      WHEN metric = 'feesPaid' THEN (1000 + hash(metric, chain_id, bucket) % 900)::DECIMAL(38,0) * 10000000000000000
      WHEN metric LIKE '%GasPrice' THEN (25 + hash(metric, chain_id, bucket) % 9)::DECIMAL(38,0) * 1000000000
      WHEN metric LIKE 'cumulative%' THEN (last_block * 3 + length(metric) * 100)::DECIMAL(38,0)
      WHEN metric LIKE 'gas%' THEN (5000000 + hash(metric, chain_id, bucket) % 9000000)::DECIMAL(38,0)
      ELSE (40 + hash(metric, chain_id, bucket) % 160 + day_place)::DECIMAL(38,0)
    END AS n,
    CASE WHEN metric LIKE 'avg%' OR metric LIKE 'max_ps' THEN 86399 ELSE 1 END::DECIMAL(38,0) AS d
  FROM (SELECT *, (epoch(bucket - TIMESTAMP '2026-01-20') / 86400)::BIGINT % 120 AS day_place FROM firn.coverage)
  JOIN (
    SELECT metric, interval FROM (VALUES ${list(everyInterval)}) AS m(metric), (VALUES ('hour'), ('day'), ('week'), ('month')) AS i(interval)
    UNION ALL SELECT metric, 'day' FROM (VALUES ${list(dayOnly)}) AS m(metric)
  ) ON interval = time_interval
)
WHERE chain_id IN (SELECT * FROM (VALUES ${list(chains)}));
`;

const reconciliation = `
INSERT INTO mart.reconciliation
SELECT chain_id, metric, time_interval, bucket, numerator, denominator, "value",
  CASE WHEN denominator = 1 THEN numerator::VARCHAR ELSE "value"::VARCHAR END, "value",
  CASE WHEN state = 'settled' THEN CASE WHEN metric = 'feesPaid' THEN 'equal_as_double' ELSE 'equal' END ELSE 'served_provisional' END,
  NULL, NULL, '0', state = 'settled', state, first_block, last_block, TIMESTAMP '2026-04-05 01:00:00', sql_hash, NULL,
  'SELECT * FROM mart.reconciliation WHERE chain_id = ''' || chain_id || ''' AND metric = ''' || metric || ''' AND bucket = ''' || bucket || ''''
FROM mart.metric WHERE time_interval <> 'month' OR state = 'settled';
INSERT INTO mart.served_freshness VALUES ('43112', 'txCount', 'day', TIMESTAMP '2026-04-04', TIMESTAMP '2026-04-04 23:54:20', 86060, 0, NULL);
`;

const summary = (outcome: string, extra: object = {}) =>
  JSON.stringify({
    exitCode: 0,
    partitions: [
      { stream: 'node/containers', partition: 'index_name=C/block', outcome: 'done', rows: 1000, requests: 2 },
      { stream: 'node/containers', partition: 'index_name=P/block', outcome, rows: 1000, requests: 2, ...extra },
      { stream: 'node/evm_blocks', partition: 'chain_id=43112', outcome: 'done', rows: 4999, requests: 120 },
      {
        stream: 'metrics/chain_metrics',
        partition: 'chain_id=43112,metric=txCount,time_interval=day',
        outcome: 'done',
        rows: 75,
        requests: 1,
      },
    ],
    requests: {
      node: {
        requests: 124,
        retries: 3,
        bytes: 9_400_000,
        wireBytes: 2_000_000,
        computeUnits: 0,
        waitedMs: 0,
        concurrency: 8,
      },
      metrics: {
        requests: 58,
        retries: 0,
        bytes: 240_000,
        wireBytes: 80_000,
        computeUnits: 580,
        waitedMs: 1800,
        concurrency: 4,
      },
    },
    problems: [],
  }).replaceAll("'", "''");

const bookkeeping = (days: number) => `
INSERT INTO firn.load SELECT i, 'r1', s, p, NULL, 1, 1000, 1000, 0, 100000, NULL, '{"next":1000}', TIMESTAMP '2026-04-05 00:10:00' + to_seconds(i), 1, 0
FROM (VALUES (1, 'node/containers', 'index_name=C/block'), (2, 'node/containers', 'index_name=P/block'), (3, 'node/evm_blocks', 'chain_id=43112'),
  (4, 'metrics/chain_metrics', 'chain_id=43112,metric=txCount,time_interval=day')) AS v(i, s, p);
INSERT INTO firn.checkpoint SELECT stream, "partition", position_to, load_id, committed_at FROM firn.load;
INSERT INTO firn.run VALUES ('r1', 'run', TIMESTAMP '2026-04-05 00:00:00', TIMESTAMP '2026-04-05 00:01:30', 75, '${summary('failed', { message: 'connect ECONNREFUSED' })}'),
  ('r2', 'run', TIMESTAMP '2026-04-05 00:10:00', TIMESTAMP '2026-04-05 00:10:42', 0, '${summary('done')}');
INSERT INTO firn.quota SELECT 'metrics', DATE '2026-04-05' - i::INTEGER, 1000 + 37 * i FROM range(${Math.min(days, 9)}) AS r(i);
INSERT INTO firn.audit (name, run_id, checked_at, failed_rows, example) VALUES ('assert_no_block_is_missing', 'r2', TIMESTAMP '2026-04-05 00:10:30', 0, NULL), ('assert_gas_adds_up', 'r2', TIMESTAMP '2026-04-05 00:10:30', 0, NULL);
`;

const text = (value: string) => `'${value.replaceAll("'", "''")}'`;

/** Wrong numbers of every kind, a hole in the blocks, hostile texts, a failed partition. */
const wrongs = `
UPDATE mart.reconciliation SET verdict = 'differs', served_text = (own_numerator + 7)::VARCHAR, served_value = own_value + 7, difference_text = '7'
  WHERE chain_id = '43112' AND metric = 'txCount' AND time_interval = 'day' AND bucket BETWEEN TIMESTAMP '2026-02-10' AND TIMESTAMP '2026-02-12';
UPDATE mart.reconciliation SET verdict = 'offset_constant', served_text = (own_numerator + 155)::VARCHAR, served_value = own_value + 155, difference_text = '155'
  WHERE metric = 'cumulativeContracts' AND chain_id = '43112' AND verdict = 'equal';
UPDATE mart.reconciliation SET verdict = 'scale_match', scale = 1000000000, served_text = own_value::VARCHAR, served_value = own_value / 1e9
  WHERE metric = 'maxGasPrice' AND chain_id = '43112' AND verdict = 'equal';
UPDATE mart.reconciliation SET verdict = 'equal_rounded', served_text = printf('%.1f', own_value), served_value = round(own_value, 1)
  WHERE metric = 'maxGps' AND chain_id = '43112' AND verdict = 'equal';
UPDATE mart.reconciliation SET verdict = 'served_week_underfilled', served_text = '12', served_value = 12
  WHERE metric = 'activeAddresses' AND chain_id = '43112' AND time_interval = 'week' AND verdict = 'equal';
UPDATE mart.reconciliation SET verdict = 'served_missing', served_text = NULL, served_value = NULL
  WHERE metric = 'gasUsed' AND chain_id = '43112' AND time_interval = 'day' AND bucket = TIMESTAMP '2026-03-01';
UPDATE mart.reconciliation SET verdict = 'own_incomplete', own_numerator = NULL, own_value = NULL WHERE metric IN ('contracts', 'deployers') AND chain_id <> '43112';
UPDATE mart.metric SET covered = false, numerator = NULL, denominator = NULL, "value" = NULL WHERE metric IN ('contracts', 'deployers') AND chain_id <> '43112';
UPDATE firn.coverage SET traces_covered = false WHERE chain_id <> '43112';
UPDATE firn.coverage SET receipts_covered = false, traces_covered = false WHERE chain_id = '43112' AND bucket BETWEEN TIMESTAMP '2026-03-03' AND TIMESTAMP '2026-03-06';
UPDATE firn.coverage SET blocks_covered = false, receipts_covered = false, traces_covered = false WHERE chain_id = '43112' AND bucket = TIMESTAMP '2026-03-07';
UPDATE firn.chain SET name = ${text(hostile)} WHERE alias = 'L1';
UPDATE mart.reconciliation SET note = ${text(hostile)}, variant = ${text(hostile)}, verdict = 'variant_match' WHERE metric = 'activeSenders' AND chain_id <> '43112' AND verdict = 'equal';
INSERT INTO firn.quarantine VALUES
  (1, 1, 1, 'node/evm_blocks', 'chain_id=43112', 'gasUsed: expected a hex number, got "0x"', ${text(`{"name":"${hostile}"}`)}, 'h1', NULL, 3,
    TIMESTAMP '2026-04-05 00:10:20', TIMESTAMP '2026-04-05 00:20:20', 3, NULL, NULL, NULL, 1),
  (2, 1, 2, 'data/chains', 'all', ${text(hostile)}, '{}', 'h2', NULL, 1, TIMESTAMP '2026-04-05 00:10:21', TIMESTAMP '2026-04-05 00:10:21', 1, NULL, NULL, NULL, NULL);
INSERT INTO firn.schema_change VALUES ('data/chains', ${text(hostile)}, ${text(hostile)}, 1, TIMESTAMP '2026-04-05 00:10:21');
INSERT INTO firn.audit (name, run_id, checked_at, failed_rows, example) VALUES ('assert_parent_hashes', 'r3', TIMESTAMP '2026-04-05 00:20:30', 2, ${text(hostile)});
INSERT INTO firn.held_back VALUES ('mart.fct_block', 'assert_parent_hashes', TIMESTAMP '2026-04-05 00:20:30', ${text(hostile)}),
  ('mart.metric', 'assert_parent_hashes', TIMESTAMP '2026-04-05 00:20:30', ${text(hostile)});
INSERT INTO firn.run VALUES ('r3', 'run', TIMESTAMP '2026-04-05 00:20:00', TIMESTAMP '2026-04-05 00:20:55', 77,
  '${summary('failed', { message: hostile, code: 'unauthorized' })}'), ('r4', 'sync', TIMESTAMP '2026-04-05 00:30:00', NULL, NULL, NULL);
INSERT INTO mart.served_consistency VALUES ('43112', TIMESTAMP '2026-02-11', '5', '6', false);
INSERT INTO firn.gap VALUES ('node/evm_blocks', 'chain_id=43112', 3, 9, 1);
`;
