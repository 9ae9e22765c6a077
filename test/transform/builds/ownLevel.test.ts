import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildModels } from '../../../src/transform/builds/buildModels.ts';
import { parseModel } from '../../../src/transform/models/parseModel.ts';
import { loadMadeUp, madeUpChain } from '../madeUpChain.ts';
import { metricModels } from '../metricModels.ts';
import { forget, forgetBuild, type TestWarehouse, temporaryWarehouse } from '../warehouse.ts';

let own: TestWarehouse;
beforeAll(async () => {
  own = await temporaryWarehouse();
}, 60_000);
afterAll(() => own.dispose());

/** A level of an extension, at every interval. */
const level = (narrowed: string, needs = 'blocks since genesis') =>
  parseModel(
    'mart.metric_ownTotal',
    '/my/models/mart/metric_ownTotal.sql',
    `/*
description: transactions so far.
metric:
  rank: 99
  title: Own total
  unit: transactions
  intervals: [hour, day, week, month]
  needs: ${needs}
  contributors: SELECT * FROM mart.fct_block WHERE chain_id = $chain AND block_time >= $from AND block_time < $until
*/
SELECT * FROM (
  SELECT chain_id, 'ownTotal' AS metric, time_interval, bucket,
    CAST(sum(transactions) OVER (PARTITION BY chain_id, time_interval ORDER BY bucket ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS DECIMAL(38,0)) AS numerator,
    CAST(1 AS DECIMAL(38,0)) AS denominator, blocks_covered_since_genesis AS covered
  FROM firn.coverage
) AS running WHERE ${narrowed}`,
  );

test.each(['from_bucket(chain_id, time_interval, bucket)', 'true'])(
  'has a row for every bucket of every interval, whatever is loaded when (%s)',
  { tags: 'long' },
  async (narrowed) => {
    await forget(own.warehouse);
    const models = [...(await metricModels()), level(narrowed)];
    const blocks = madeUpChain(5, 40);
    const held: (readonly number[])[] = [[20], []];
    for (const lacking of held) {
      const loaded = blocks.filter(({ number }) => !lacking.includes(number));
      await loadMadeUp(own.warehouse, '1001', loaded);
      await buildModels(own.warehouse, { models });
      expect(
        await own.warehouse.query(
          `SELECT time_interval, bucket, covered FROM mart.metric WHERE metric = 'ownTotal'
         EXCEPT ALL SELECT time_interval, bucket, blocks_covered_since_genesis FROM firn.coverage`,
        ),
      ).toEqual([]);
      expect(
        await own.warehouse.query(
          `SELECT time_interval, bucket, blocks_covered_since_genesis FROM firn.coverage
         EXCEPT ALL SELECT time_interval, bucket, covered FROM mart.metric WHERE metric = 'ownTotal'`,
        ),
      ).toEqual([]);
    }
  },
);

test.each([
  ['in_buckets', 'blocks since genesis', 'it needs everything since genesis', 'from_bucket'],
  ['from_bucket', 'blocks', 'it does not need everything since genesis', 'in_buckets'],
])('that narrows itself by %s and needs %s is refused', async (narrowing, needs, what, right) => {
  const models = [...(await metricModels()), level(`${narrowing}(chain_id, time_interval, bucket)`, needs)];
  await forgetBuild(own.warehouse);
  await expect(buildModels(own.warehouse, { models })).rejects.toThrow(
    `/my/models/mart/metric_ownTotal.sql:11: ${what}, and narrows itself by ${narrowing}: it would lose rows. Write ${right}(`,
  );
});
