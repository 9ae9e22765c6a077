import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PlottedPoint, SeriesColumns } from '../../src/report/reportData.ts';
import { newestColumns, pointsUntil, seriesPoints } from '../../src/report/seriesPoints.ts';
import { latestPoints } from '../../src/report/verdicts/latestPoints.ts';

const quarterMs = 900_000;

/** What a database gives for points: the way back. */
function columnsOf(points: readonly PlottedPoint[]): SeriesColumns {
  let [quarter, block] = [0, 0];
  const rows = points.map(({ bucket, firstBlock, lastBlock, own, covered, served, verdict }) => {
    const step = bucket / quarterMs - quarter;
    quarter += step;
    const row = [
      String(step),
      firstBlock === null ? '' : String(firstBlock - block),
      firstBlock === null || lastBlock === null ? '' : String(lastBlock - firstBlock),
      covered ? (own ?? '') : '-',
      served === null ? '' : served === own ? '=' : served,
      verdict ?? '',
    ];
    block = lastBlock ?? block;
    return row;
  });
  const column = (place: number) => rows.map((row) => row[place]).join(',');
  return {
    bucket: column(0),
    firstBlock: column(1),
    lastBlock: column(2),
    own: column(3),
    served: column(4),
    verdict: column(5),
  };
}

const digits = fc.bigInt({ min: 0n, max: 10n ** 24n }).map(String);
const points = fc
  .array(
    fc.record({
      step: fc.integer({ min: 1, max: 800 }),
      blocks: fc.option(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 99 }))),
      own: fc.option(digits),
      covered: fc.boolean(),
      served: fc.option(digits),
      verdict: fc.option(fc.constantFrom('equal', 'differs', 'served_provisional')),
    }),
    { maxLength: 60 },
  )
  .map((rows) => {
    let [quarter, block] = [1_600_000, 0];
    return rows.map(({ step, blocks, own, covered, served, verdict }): PlottedPoint => {
      quarter += step;
      const firstBlock = blocks && block + blocks[0];
      const lastBlock = blocks && (firstBlock ?? 0) + blocks[1];
      block = lastBlock ?? block;
      return {
        bucket: quarter * quarterMs,
        firstBlock,
        lastBlock,
        own: covered ? own : null,
        covered,
        served,
        verdict,
      };
    });
  });

describe('columns of a series', () => {
  test('hold every point exactly', () => {
    fc.assert(
      fc.property(points, (all) => {
        expect(seriesPoints({ columns: columnsOf(all) })).toEqual(all);
      }),
    );
  });

  test('are cut to the newest points, which stay what they are', () => {
    fc.assert(
      fc.property(points, fc.integer({ min: 1, max: 70 }), (all, most) => {
        expect(seriesPoints({ columns: newestColumns(columnsOf(all), most) })).toEqual(all.slice(-most));
      }),
    );
  });

  test('are cut to nothing', () => {
    const [point] = fc.sample(points, 20).find((all) => all.length > 0) ?? [];
    expect(seriesPoints({ columns: newestColumns(columnsOf(point ? [point] : []), 0) })).toEqual([]);
  });
});

describe('the latest points', () => {
  const point = (
    day: number,
    verdict: string | null,
    own: string | null = '1',
    served: string | null = '1',
  ): PlottedPoint => ({
    bucket: day * 96 * quarterMs,
    firstBlock: 1,
    lastBlock: 2,
    own,
    covered: true,
    served,
    verdict,
  });

  test.each<[string, PlottedPoint[], number | undefined, number | undefined]>([
    ['a settled one and one that is not', [point(1, 'equal'), point(2, 'served_provisional')], 0, 1],
    ['the newest is settled', [point(1, 'equal'), point(2, 'differs')], 1, undefined],
    ['what is not compared yet is provisional', [point(1, 'equal'), point(2, null, '1', null)], 0, 1],
    ['nothing was ever compared', [point(1, null), point(2, null)], 1, undefined],
    ['nothing is settled', [point(1, 'served_provisional')], undefined, 0],
    ['what is not covered is not known to be settled', [point(1, 'equal'), point(2, 'own_incomplete', null)], 0, 1],
    ['nothing is covered', [point(1, 'own_incomplete', null), point(2, 'own_incomplete', null)], undefined, 1],
    ['an aggregate', [point(1, 'no_own', null), point(2, 'no_own', null)], undefined, 1],
    ['without a value there is nothing to tell', [point(1, 'equal'), point(2, 'equal', null, null)], 0, undefined],
    ['none', [], undefined, undefined],
  ])('%s', (_, all, settled, provisional) => {
    const found = latestPoints(all);
    expect(found.settled).toBe(settled === undefined ? undefined : all[settled]);
    expect(found.provisional).toBe(provisional === undefined ? undefined : all[provisional]);
  });
});

test('a bucket that lies more than a day ahead is left out, wherever clocks are', () => {
  const hours = [-1, 0, 24, 25].map((hour) => ({ bucket: hour * 4 * quarterMs }) as PlottedPoint);
  expect(pointsUntil(hours, 0)).toEqual(hours.slice(0, 3));
});
