/** @module-tag long */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { catalogue } from '../../pipelines/index.ts';
import { dropHistory } from '../../src/run/upkeep/dropHistory.ts';
import { buildModels } from '../../src/transform/builds/buildModels.ts';
import type { Model } from '../../src/transform/models/model.ts';
import { withScope } from '../../src/transform/scope.ts';
import { fuzzRuns, isFuzz } from '../fuzzRuns.ts';
import { metricModels } from './metricModels.ts';
import { computeMetric, type MetricRow, rules } from './oracle/computeMetrics.ts';
import { loadWorld } from './oracle/load.ts';
import { drawnLoads, type Load } from './oracle/loads.ts';
import { drawnWorld, type World } from './oracle/world.ts';
import { forget, forgetBuild, type TestWarehouse, temporaryWarehouse } from './warehouse.ts';

const chains = ['43112', '1001', '1002', '1003'];

let own: TestWarehouse;
let models: readonly Model[];
beforeAll(async () => {
  own = await temporaryWarehouse();
  await own.warehouse.run(`INSERT INTO firn.chain VALUES ('43112', 'C', 'c', 'C', 'evm', NULL, now()::TIMESTAMP)`);
  models = await metricModels();
});
afterAll(() => own.dispose());

/** A chain, and what was read of it so far. */
interface Read {
  readonly chain: string;
  readonly world: World;
  readonly loads: readonly Load[];
}

/** The C-Chain, and up to so many L1s, each with what is read of it in the order in which it is. */
const drawnChains = (l1s: number) => {
  const drawn = (hasIndex: boolean) => fc.record({ world: drawnWorld(hasIndex), loads: drawnLoads });
  return fc
    .tuple(drawn(true), fc.array(drawn(false), { maxLength: l1s }))
    .map(([c, others]) => [c, ...others].map((one, i): Read => ({ chain: chains[i] as string, ...one })));
};

/** What fails in the tests is to be told before they time out. */
const parameters = (usual: number) => ({ numRuns: fuzzRuns(usual), endOnFailure: !isFuzz });

const load = async (read: readonly Read[]) => {
  for (const { chain, world, loads } of read)
    for (const one of loads) await loadWorld(own.warehouse, chain, world, one);
};
const build = () => buildModels(own.warehouse, { models });

/** Holds every row of `mart.metric` against what the chains' blocks make. */
async function hold(read: readonly Read[], when: string): Promise<void> {
  const key = ({ metric, interval, bucket }: MetricRow) => `${metric} ${interval} ${bucket}`;
  const inOrder = (rows: readonly MetricRow[]) => [...rows].sort((a, b) => (key(a) < key(b) ? -1 : 1));
  for (const { chain, world, loads } of read) {
    const built = await own.warehouse.query<MetricRow>(
      `SELECT metric, time_interval AS "interval", CAST(bucket AS VARCHAR) AS bucket, CAST(numerator AS VARCHAR) AS numerator,
         CAST(denominator AS VARCHAR) AS denominator, "value", covered, overflows,
         concat(state, ' ', coalesce(CAST(first_block AS VARCHAR), '-'), '..', coalesce(CAST(last_block AS VARCHAR), '-'), ' ', coalesce(source, '-')) AS place
       FROM mart.metric WHERE chain_id = $1`,
      [chain],
    );
    const expected = Object.keys(rules).flatMap((metric) => computeMetric(metric, '', world, loads));
    expect(inOrder(built), `${chain} ${when}`).toEqual(inOrder(expected));
  }
}

/** Holds every other reading of a metric's definition against them, where it claims to be covered. */
async function holdReadings(read: readonly Read[], { metric }: Model): Promise<void> {
  for (const variant of Object.keys(metric?.variants ?? {})) {
    const { name } = metric as NonNullable<typeof metric>;
    const rows = await withScope(own.warehouse, { firn_variant: variant }, () =>
      own.warehouse.query<{ text: string }>(
        `SELECT concat(chain_id, ' ', time_interval, ' ', bucket, ' ',
           CASE WHEN covered THEN concat(coalesce(CAST(numerator AS VARCHAR), '-'), '/', coalesce(CAST(denominator AS VARCHAR), '-')) ELSE 'not covered' END) AS text
         FROM mart.metric_${name}`,
      ),
    );
    const expected = read.flatMap(({ chain, world, loads }) =>
      computeMetric(name, variant, world, loads).map(({ interval, bucket, numerator, denominator, covered }) => {
        const value = covered ? `${numerator ?? '-'}/${denominator ?? '-'}` : 'not covered';
        return `${chain} ${interval} ${bucket} ${value}`;
      }),
    );
    expect(rows.map(({ text }) => text).sort(), `${name} ${variant}`).toEqual(expected.sort());
  }
}

test('metrics of chains that never were are what their blocks make, whatever is read of them and when', async () => {
  const pauses = fc.array(fc.boolean(), { minLength: 4, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(drawnChains(3), pauses, async (drawn, isBuilt) => {
      await forget(own.warehouse);
      const rounds = Math.max(...drawn.map(({ loads }) => loads.length));
      for (let round = 0; round < rounds; round++) {
        await load(drawn.map(({ loads, ...one }) => ({ ...one, loads: loads.slice(round, round + 1) })));
        // What several loads bring is built at once, too.
        if (!isBuilt[round] && round < rounds - 1) continue;
        await build();
        await hold(
          drawn.map(({ loads, ...one }) => ({ ...one, loads: loads.slice(0, round + 1) })),
          `after load ${round}`,
        );
      }
      for (const model of models) await holdReadings(drawn, model);
    }),
    parameters(6),
  );
});

test('they stay so when raw rows are dropped, models change, and blocks come after that', async () => {
  const until = fc.integer({ min: 2, max: 12 });
  const dropped = fc.nat(12);
  await fc.assert(
    fc.asyncProperty(drawnChains(2), until, dropped, fc.boolean(), async (drawn, next, at, isAfresh) => {
      await forget(own.warehouse);
      const first = drawn.map(({ loads, ...one }) => ({
        ...one,
        loads: loads.map((some) => ({ ...some, until: Math.min(some.until, next) })),
      }));
      await load(first);
      await build();
      const { blocks } = (drawn[0] as Read).world;
      const from = new Date((blocks[Math.min(at, blocks.length - 1)]?.time ?? 0) * 1000);
      await dropHistory(own.warehouse, catalogue, { keep: { from }, models });
      if (isAfresh) await forgetBuild(own.warehouse);
      await build();
      await hold(first, 'when rows are dropped');
      const rest = { source: 'node', from: next, until: 99, traces: 'whole', receipts: 'whole' } as const;
      await load(first.map((one) => ({ ...one, loads: [rest] })));
      await build();
      const all = first.map(({ loads, ...one }) => ({ ...one, loads: [...loads, rest] }));
      await hold(all, 'when more came');
      await forgetBuild(own.warehouse);
      await build();
      await hold(all, 'when models change again');
    }),
    parameters(3),
  );
});
