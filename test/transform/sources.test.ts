/** @module-tag long */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { catalogue } from '../../pipelines/index.ts';
import { runAudits } from '../../src/transform/audits/runAudits.ts';
import { buildModels } from '../../src/transform/builds/buildModels.ts';
import { type NodeHarness, startNodeHarness } from '../pipelines/node/nodeHarness.ts';

let harness: NodeHarness;

beforeAll(async () => {
  harness = await startNodeHarness(catalogue);
});
afterAll(() => harness.close());

interface Row {
  readonly metric: string;
  readonly covered: bigint;
  readonly buckets: bigint;
}

const coverage = (where = 'true') =>
  harness.query<Row>(
    `SELECT metric, count(*) FILTER (WHERE covered) AS covered, count(*) AS buckets FROM mart.metric
     WHERE chain_id = '43112' AND time_interval = 'day' AND ${where} GROUP BY metric ORDER BY metric`,
  );

const values = () =>
  harness.query(
    `SELECT metric, time_interval, bucket, numerator, denominator FROM mart.metric
     WHERE chain_id = '43112' AND covered AND metric IN ('txCount', 'gasUsed', 'cumulativeTxCount', 'maxTps', 'avgGps')
     ORDER BY metric, time_interval, bucket`,
  );

test('computes from containers alone what needs no receipts, and the same once the node gives the blocks', async () => {
  await harness.sync({ 'node/containers': { indexes: ['C/block'] } });
  await buildModels(harness.warehouse);
  const alone = Object.fromEntries(
    (await coverage()).map(({ metric, covered, buckets }) => [metric, `${covered} of ${buckets}`]),
  );
  // The time of genesis is not in the index: the first day has no distance to it.
  expect(alone).toMatchObject({
    txCount: '75 of 75',
    gasUsed: '75 of 75',
    cumulativeTxCount: '75 of 75',
    avgTps: '74 of 75',
    maxGps: '74 of 75',
  });
  // Days without a transaction need no receipt and no trace.
  for (const metric of ['activeAddresses', 'feesPaid', 'contracts'])
    expect(alone[metric], metric).toMatch(/^1\d of 75$/);
  expect(await harness.query(`SELECT DISTINCT source FROM mart.metric WHERE source IS NOT NULL`)).toEqual([
    { source: 'containers' },
  ]);
  const fromContainers = await values();

  // The node's blocks of the last days only: both sources have them, the rest still comes from containers.
  await harness.sync({ 'node/evm_blocks': { blockchainIds: ['C'], from: 3000 } });
  await buildModels(harness.warehouse);
  const sources = await harness.query<{ source: string }>(
    `SELECT DISTINCT source FROM mart.metric WHERE source IS NOT NULL ORDER BY source`,
  );
  expect(sources.map(({ source }) => source)).toEqual(['containers', 'containers,node', 'node']);
  expect(await values()).toEqual(fromContainers);
  const [recent] = await coverage(`metric = 'feesPaid' AND source = 'node'`);
  expect(recent?.covered).toBe(recent?.buckets);

  const audits = await runAudits(harness.warehouse);
  expect(audits.filter(({ failedRows }) => failedRows > 0)).toEqual([]);
}, 120_000);
