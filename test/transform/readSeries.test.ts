import { expect, onTestFinished, test } from 'vitest';
import { parseLossless } from '../../src/core/parseLossless.ts';
import { buildModels } from '../../src/transform/buildModels.ts';
import { readSeries } from '../../src/transform/readSeries.ts';
import { loadPoints } from './loadServed.ts';
import { loadMadeUp } from './madeUpChain.ts';
import { metricModels } from './metricModels.ts';
import { temporaryWarehouse } from './warehouse.ts';

test('an hour without a block is known to be empty between two that are linked, and neither before nor after all', async () => {
  const { warehouse, dispose } = await temporaryWarehouse();
  onTestFinished(dispose);
  const chain = '7001';
  const at = (hour: number) => Date.UTC(2026, 0, 5, hour) / 1000;
  const one = { from: 1, to: 2, gasUsed: 21_000, price: 1n };
  // The block at 13 h is missing, with its number.
  const times: [number, number][] = [
    [1, at(9)],
    [2, at(11)],
    [4, at(14)],
    [5, at(15)],
  ];
  const blocks = times.map(([number, time]) => ({ number, time, transactions: [one] }));
  await loadMadeUp(warehouse, chain, [{ number: 0, time: at(0) - 1e8, transactions: [] }, ...blocks]);
  const points = Array.from({ length: 10 }, (_, i) => ({ timestamp: at(8 + i), value: 1 }));
  const results = parseLossless(JSON.stringify(points), { numbers: 'text' }) as unknown[];
  await loadPoints(warehouse, { chain, metric: 'txCount', interval: 'hour' }, results, at(18) * 1000);
  await buildModels(warehouse, { models: await metricModels() });
  const [series] = await readSeries(warehouse, chain, new Map());
  const counts = (series?.points ?? []).map(({ bucket, own }) => [
    new Date(bucket * 1000).getUTCHours(),
    own && (own.value?.num ?? null),
  ]);
  expect(counts).toEqual([
    [8, undefined],
    [9, 1n],
    [10, 0n],
    [11, null],
    [12, undefined],
    [13, undefined],
    [14, null],
    [15, 1n],
    [16, undefined],
    [17, undefined],
  ]);
});
