/** @module-tag long */
import { expect, onTestFinished, test } from 'vitest';
import { parseLossless } from '../../../src/core/json/parseLossless.ts';
import type { Warehouse } from '../../../src/load/state/warehouse.ts';
import { buildModels } from '../../../src/transform/builds/buildModels.ts';
import { metricsOf } from '../../../src/transform/models/metricsOf.ts';
import { type DetailedSeries, readSeries } from '../../../src/transform/reconcile/readSeries.ts';
import { servedSeries } from '../../../src/transform/reconcile/servedSeries.ts';
import { loadPoints } from '../loadServed.ts';
import { loadMadeUp } from '../madeUpChain.ts';
import { metricModels } from '../metricModels.ts';
import { temporaryWarehouse } from '../warehouse.ts';

const chain = '7001';
const one = { from: 1, to: 2, gasUsed: 21_000, price: 1n };
/** Unix seconds at which a day of January 2026 begins. */
const day = (date: number) => Date.UTC(2026, 0, date) / 1000;

/** A warehouse with a block on each of the days 5 to 7. */
async function threeDays(): Promise<Warehouse> {
  const { warehouse, dispose } = await temporaryWarehouse();
  onTestFinished(dispose);
  const blocks = [5, 6, 7].map((date, i) => ({ number: i + 1, time: day(date) + 60, transactions: [one] }));
  await loadMadeUp(warehouse, chain, [{ number: 0, time: day(1), transactions: [] }, ...blocks]);
  return warehouse;
}

/** Serves 1 for each bucket, in an answer of a moment; both in Unix seconds. */
async function serve(
  warehouse: Warehouse,
  series: { readonly metric: string; readonly interval: string },
  buckets: readonly number[],
  fetchedAt: number,
): Promise<void> {
  const points = buckets.map((timestamp) => ({ timestamp, value: 1 }));
  const results = parseLossless(JSON.stringify(points), { numbers: 'text' }) as unknown[];
  await loadPoints(warehouse, { chain, ...series }, results, fetchedAt * 1000);
}

test('an hour without a block is known to be empty between two that are linked, and neither before nor after all', async () => {
  const { warehouse, dispose } = await temporaryWarehouse();
  onTestFinished(dispose);
  const at = (hour: number) => Date.UTC(2026, 0, 5, hour) / 1000;
  // The block at 14 h is missing, with its number.
  const times: [number, number][] = [
    [1, at(9)],
    [2, at(12)],
    [4, at(15)],
    [5, at(16)],
  ];
  const blocks = times.map(([number, time]) => ({ number, time, transactions: [one] }));
  await loadMadeUp(warehouse, chain, [{ number: 0, time: at(0) - 1e8, transactions: [] }, ...blocks]);
  const hours = Array.from({ length: 10 }, (_, i) => at(8 + i));
  await serve(warehouse, { metric: 'txCount', interval: 'hour' }, hours, at(18));
  await buildModels(warehouse, { models: await metricModels() });
  const [asked] = await servedSeries(warehouse);
  const [series] = await readSeries(warehouse, asked ?? [], new Map());
  const counts = (series?.points ?? []).map(({ bucket, own }) => [
    new Date(bucket * 1000).getUTCHours(),
    own && (own.value?.num ?? null),
  ]);
  expect(counts).toEqual([
    [8, undefined],
    [9, 1n],
    [10, 0n],
    [11, 0n],
    [12, null],
    [13, undefined],
    [14, undefined],
    [15, null],
    [16, 1n],
    [17, undefined],
  ]);
});

test('buckets after the newest one that is served are stalled once they ended long ago', async () => {
  const { warehouse, dispose } = await temporaryWarehouse();
  onTestFinished(dispose);
  const at = (month: number, day: number) => Date.UTC(2026, month - 1, day) / 1000;
  const blocks = [at(1, 5), at(2, 10), at(3, 10), at(4, 20)].map((time, i) => ({
    number: i + 1,
    time: time + 60,
    transactions: [one],
  }));
  await loadMadeUp(warehouse, chain, [{ number: 0, time: at(1, 1), transactions: [] }, ...blocks]);
  for (const [interval, timestamp] of [
    ['day', at(1, 5)],
    ['month', at(1, 1)],
  ] as const)
    await serve(warehouse, { metric: 'txCount', interval }, [timestamp], at(1, 6));
  await buildModels(warehouse, { models: await metricModels() });
  const [asked] = await servedSeries(warehouse);
  const read = await readSeries(warehouse, asked ?? [], new Map());
  const stalled = read.map(({ interval, points }) => {
    const found = points.filter((point) => point.stalled).map(({ bucket }) => bucket);
    return [interval, found.at(0), found.at(-1)];
  });
  expect(stalled).toEqual([
    ['day', at(1, 6), at(4, 5)],
    ['month', at(2, 1), at(2, 1)],
  ]);
});

test('metrics that are read apart, since together they are too many, give the same', async () => {
  const warehouse = await threeDays();
  for (const metric of ['txCount', 'cumulativeTxCount', 'gasUsed'])
    await serve(warehouse, { metric, interval: 'day' }, [5, 6, 7].map(day), day(8));
  const models = await metricModels();
  await buildModels(warehouse, { models });
  const metrics = new Map(metricsOf(models).map((metric) => [metric.name, metric]));
  const read = async (mostBuckets?: number) => {
    const found: DetailedSeries[] = [];
    for (const asked of await servedSeries(warehouse, undefined, mostBuckets))
      found.push(...(await readSeries(warehouse, asked, metrics)));
    return found;
  };
  const together = await read();
  expect(
    together.map(({ metric, points }) => [metric, points.filter(({ own, served }) => own && served).length]),
  ).toEqual([
    ['cumulativeTxCount', 3],
    ['gasUsed', 3],
    ['txCount', 3],
  ]);
  // The last day may grow still.
  expect(together[0]?.points.map(({ ownDelta }) => ownDelta?.num)).toEqual([1n, 1n, undefined]);
  expect(await read(1)).toEqual(together);
  // Two of them at a time.
  expect(await read(70)).toEqual(together);
  // Of one that was asked for later nothing is missing before.
  const asked = { chain, metric: 'feesPaid', interval: 'day', newest: day(7), begins: day(6) } as const;
  const [later, ...levels] = await readSeries(
    warehouse,
    [asked, ...(['cumulativeAddresses', 'cumulativeTxCount'] as const).map((metric) => ({ ...asked, metric }))],
    metrics,
  );
  expect([later, ...levels].map((series) => series?.growth)).toEqual([null, 'distinct', 'sum']);
  expect(later?.points.map(({ bucket }) => bucket)).toEqual([day(6), day(7)]);
});

test('what both sides say of their numbers is told, and from when on they are settled', async () => {
  const warehouse = await threeDays();
  // The last one is dated ahead.
  await serve(warehouse, { metric: 'txCount', interval: 'day' }, [4, 5, 6, 7, 20].map(day), day(8));
  await buildModels(warehouse, { models: await metricModels() });
  /** What is read of the days 4 to 7, and 20, after a change of the state, which is taken back. */
  const told = async <T>(of: (point: DetailedSeries['points'][number]) => T, newest: number, change = 'SELECT 1') => {
    let found: T[] = [];
    await warehouse.transaction(async (tx) => {
      await tx.run(change);
      const asked = { chain, metric: 'txCount', interval: 'day', newest: day(newest), begins: 0 } as const;
      found = (await readSeries(tx, [asked], new Map()))[0]?.points.map(of) ?? [];
    }, false);
    return found;
  };
  expect(await told(({ own }) => own?.overflows, 8)).toEqual([undefined, false, false, false, undefined]);
  const overflow = 'UPDATE mart.metric SET overflows = true';
  expect(await told(({ own }) => own?.overflows, 8, overflow)).toEqual([undefined, true, true, true, undefined]);
  expect(await told(({ settled }) => settled, 9)).toEqual([true, true, false, false, false]);
  expect(await told(({ settled }) => settled, 12)).toEqual([true, true, true, false, false]);
  const withdrawn = `UPDATE raw.metrics_chain_metrics SET withdrawn = true WHERE "timestamp" = TIMESTAMP '2026-01-07'`;
  expect(await told(({ settled }) => settled, 12, withdrawn)).toEqual([true, true, false, false, false]);
  expect(await told((point) => [point.served?.text, point.withdrawn], 12, withdrawn)).toEqual([
    ['1', undefined],
    ['1', undefined],
    ['1', undefined],
    [undefined, '1'],
    ['1', undefined],
  ]);
  expect(await told(({ isBeforeBlock1 }) => isBeforeBlock1, 8)).toEqual([true, false, false, false, false]);
  const later = 'UPDATE mart.metric SET first_block = first_block + 1';
  expect(await told(({ isBeforeBlock1 }) => isBeforeBlock1, 8, later)).toEqual([false, false, false, false, false]);
});
