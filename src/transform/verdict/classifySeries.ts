import { compareValues } from './compareValues.ts';
import { explainSeries, type SeriesExplanation } from './explainSeries.ts';
import { compareRatios, decimalsOf, minus, type Ratio, ratioText } from './ratio.ts';
import type { Point, Series, VariantReading, Verdict } from './series.ts';

/** With more decimals a double shows noise, not rounding. */
const mostDecimals = 12;

/**
 * One verdict per bucket. Only a bucket that is covered and over on our side and settled on the served one is compared strictly; what does not
 * agree is then explained by the series as a whole, or differs.
 *
 * @param readings the metric's named readings; asked for only where something does not agree
 */
export async function classifySeries(
  series: Series,
  readings: ReadonlyMap<string, () => Promise<VariantReading>>,
): Promise<Verdict[]> {
  if (series.isAggregate) return series.points.map(() => ({ verdict: 'no_own' }));
  const decimals = decimalsSeen(series.points);
  const isEmpty = series.points.every(({ served }) => served === undefined);
  const hard = series.points.filter(({ own, settled }) => own?.covered && !own.open && !own.overflows && settled);
  const disagreeing = hard.filter((point) => agreement(point, decimals) === null);
  const explanation =
    disagreeing.length > 0 && !isEmpty
      ? await explainSeries(series.growth !== null, hard, decimals, readings)
      : undefined;
  return series.points.map((point, index) => {
    if (isEmpty) return emptyVerdict(point);
    if (point.own?.overflows) return overflowing;
    if (!point.own?.covered) return uncoveredVerdict(series, point, series.points[index - 1]);
    if (!point.settled) return { verdict: 'served_provisional' };
    if (point.own.open) return openVerdict(point, decimals);
    return hardVerdict(series, point, decimals, explanation);
  });
}

function decimalsSeen(points: readonly Point[]): number {
  const seen = points.map(({ served }) => decimalsOf(served?.text ?? ''));
  return Math.min(mostDecimals, Math.max(0, ...seen));
}

const overflowing: Verdict = { verdict: 'own_incomplete', note: 'more than 38 digits: not compared' };

/** Blocks that follow the newest one held may belong to its bucket: only a number that agrees already says something. */
function openVerdict(point: Point, decimals: number): Verdict {
  const agreed = point.served && agreement(point, decimals);
  return {
    verdict: agreed ?? 'served_provisional',
    ...(!agreed && { note: 'the newest block held lies in this bucket: more may follow' }),
  };
}

/** An empty list is an answer, and the usual one for a month that is not over. */
function emptyVerdict({ own }: Point): Verdict {
  if (!own || own.open) return { verdict: 'served_provisional' };
  if (own.overflows) return overflowing;
  return { verdict: own.covered ? 'served_empty' : 'own_incomplete' };
}

function agreement({ own, served }: Point, decimals: number): Verdict['verdict'] | null {
  // Text that is not a number agrees with nothing.
  if (served && served.text !== null && served.value === null) return null;
  return compareValues(own?.value ?? null, served?.value ?? null, decimals);
}

function hardVerdict(
  series: Series,
  point: Point,
  decimals: number,
  explanation: SeriesExplanation | undefined,
): Verdict {
  const agreed = agreement(point, decimals);
  if (agreed) return { verdict: agreed };
  const explained = explanation?.verdictAt(point);
  if (explained) return explained;
  if (point.served === undefined) return { verdict: 'served_missing' };
  if (point.served.text !== null && point.served.value === null) {
    return { verdict: 'differs', note: `the served value is not a number: ${point.served.text.slice(0, 80)}` };
  }
  const own = point.own?.value ?? null;
  if (series.interval === 'week' && own && point.served.value && compareRatios(point.served.value, own) < 0) {
    return { verdict: 'served_week_underfilled' };
  }
  return { verdict: 'differs' };
}

/** Where own data does not reach back to genesis, levels that are sums still have comparable differences. */
function uncoveredVerdict(series: Series, point: Point, before: Point | undefined): Verdict {
  if (series.growth === 'distinct') {
    return { verdict: 'own_incomplete', note: 'distinct counts need the whole history since genesis' };
  }
  const delta = servedDelta(point, before);
  if (!point.ownDelta || !delta || !point.settled || !before?.settled) return { verdict: 'own_incomplete' };
  const verdict = compareRatios(delta, point.ownDelta) === 0 ? 'equal_delta' : 'differs';
  const compared = `recomputed ${ratioText(point.ownDelta)}, served ${ratioText(delta)}`;
  return { verdict, note: `own history starts late: daily differences compared, ${compared}`, byDifference: true };
}

function servedDelta({ bucket, served }: Point, before: Point | undefined): Ratio | null {
  if (!served?.value || !before?.served?.value || bucket - before.bucket !== 86_400) return null;
  return minus(served.value, before.served.value);
}
