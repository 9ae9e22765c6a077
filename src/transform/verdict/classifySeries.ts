import { bucketStart } from '../bucketTime.ts';
import { agreement } from './compareValues.ts';
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
 * @param dailyReadings those of the metric whose days a level adds up, asked for where its daily differences do not agree
 */
export async function classifySeries(
  series: Series,
  readings: ReadonlyMap<string, () => Promise<VariantReading>>,
  dailyReadings: ReadonlyMap<string, () => Promise<VariantReading>> = new Map(),
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
  const ofDays = await explainDifferences(series, dailyReadings);
  return series.points.map((point, index) => {
    if (isEmpty) return emptyVerdict(point);
    if (point.own?.overflows) return overflowing;
    if (point.isBeforeBlock1) return beforeBlock1;
    if (!point.own?.covered) return uncoveredVerdict(series, point, series.points[index - 1], ofDays);
    if (!point.settled) return point.stalled ? stalled : { verdict: 'served_provisional' };
    if (point.own.open) return openVerdict(point, decimals);
    return hardVerdict(series, point, decimals, explanation);
  });
}

function decimalsSeen(points: readonly Point[]): number {
  const seen = points.map(({ served }) => decimalsOf(served?.text ?? ''));
  return Math.min(mostDecimals, Math.max(0, ...seen));
}

const overflowing: Verdict = { verdict: 'own_incomplete', note: 'more than 38 digits: not compared' };

/** Services may count what genesis holds there, or not. */
const beforeBlock1: Verdict = {
  verdict: 'own_incomplete',
  note: 'before block 1, with nothing to hold: not compared',
};

const stalled: Verdict = {
  verdict: 'served_provisional',
  note: 'nothing newer was served for two weeks: if the series is still asked for, report it to the service',
};

/** Blocks that follow the newest one held may belong to its bucket: only a number that agrees already says something. */
function openVerdict(point: Point, decimals: number): Verdict {
  const agreed = point.served && agreement(point, decimals);
  if (agreed) return { verdict: agreed };
  return { verdict: 'served_provisional', note: 'the newest block held lies in this bucket: more may follow' };
}

/** An empty list is an answer, and the usual one for a month that is not over. */
function emptyVerdict({ own }: Point): Verdict {
  if (!own || own.open) return { verdict: 'served_provisional' };
  if (own.overflows) return overflowing;
  return { verdict: own.covered ? 'served_empty' : 'own_incomplete' };
}

function hardVerdict(
  series: Series,
  point: Point,
  decimals: number,
  explanation: SeriesExplanation | undefined,
): Verdict {
  if (point.bucket !== bucketStart(series.interval, point.bucket))
    return { verdict: 'differs', note: `in UTC, no ${series.interval} begins then` };
  const agreed = agreement(point, decimals);
  if (agreed) return { verdict: agreed };
  const explained = explanation?.verdictAt(point);
  if (explained) return explained;
  if (point.served === undefined) return missingVerdict(point);
  if (point.served.text === null) return { verdict: 'served_empty' };
  if (point.served.value === null)
    return { verdict: 'differs', note: `the served value is not a number: ${point.served.text.slice(0, 80)}` };
  const own = point.own?.value ?? null;
  if (series.interval === 'week' && own && point.served.value && compareRatios(point.served.value, own) < 0)
    return { verdict: 'served_week_underfilled' };
  return { verdict: 'differs' };
}

const missingVerdict = ({ withdrawn }: Point): Verdict => ({
  verdict: 'served_missing',
  ...(withdrawn !== undefined && { note: `was served before, as ${withdrawn?.slice(0, 80) ?? 'null'}` }),
});

/** The daily difference of a level that is not known, by another reading of what it adds up. */
interface DifferenceReading {
  readonly variant: string;
  readonly at: VariantReading;
}

/** The reading by which every daily difference agrees that can be compared; undefined where the documented one does, or none. */
async function explainDifferences(
  { growth, points }: Series,
  readings: ReadonlyMap<string, () => Promise<VariantReading>>,
): Promise<DifferenceReading | undefined> {
  if (growth !== 'sum') return undefined;
  const compared = points.flatMap((point, index) => {
    const before = points[index - 1];
    const delta = point.own?.covered ? undefined : comparableDelta(point, before);
    return delta ? [{ bucket: point.bucket, delta, follows: before?.ownDelta !== undefined }] : [];
  });
  const agrees = (own: Ratio | null | undefined, delta: Delta) => own != null && compareRatios(own, delta.served) === 0;
  // One bucket that another reading fits is no series.
  const areOdd = (some: typeof compared) => some.filter(({ delta }) => !agrees(delta.own, delta)).length >= 2;
  if (!areOdd(compared)) return undefined;
  for (const [variant, read] of readings) {
    const at = await read();
    // A reading that counts the day before is not known where that day is not.
    const known = compared.filter(({ bucket, follows }) => follows || at(bucket));
    if (areOdd(known) && known.every(({ bucket, delta }) => agrees(at(bucket)?.value, delta))) return { variant, at };
  }
  return undefined;
}

interface Delta {
  readonly own: Ratio;
  readonly served: Ratio;
}

function comparableDelta(point: Point, before: Point | undefined): Delta | undefined {
  const served = servedDelta(point, before);
  return point.ownDelta && served && point.settled && before?.settled ? { own: point.ownDelta, served } : undefined;
}

/** Where own data does not reach back to genesis, levels that are sums still have comparable differences. */
function uncoveredVerdict(
  series: Series,
  point: Point,
  before: Point | undefined,
  reading: DifferenceReading | undefined,
): Verdict {
  if (series.growth === 'distinct') {
    const note = point.own && 'distinct counts need the whole history since genesis';
    return { verdict: 'own_incomplete', ...(note && { note }) };
  }
  const delta = comparableDelta(point, before);
  if (!delta) return { verdict: 'own_incomplete' };
  const isEqual = compareRatios(delta.served, delta.own) === 0;
  const otherwise = isEqual ? undefined : reading?.at(point.bucket);
  if (!isEqual && reading && !otherwise) return { verdict: 'own_incomplete' };
  const other = otherwise?.value;
  const compared = `recomputed ${ratioText(other ?? delta.own)}, served ${ratioText(delta.served)}`;
  return {
    ...(isEqual
      ? { verdict: 'equal_delta' }
      : other && reading
        ? { verdict: 'variant_match', variant: reading.variant }
        : { verdict: 'differs' }),
    note: `own history is not whole since genesis: daily differences compared, ${compared}`,
    byDifference: true,
  };
}

function servedDelta({ bucket, served }: Point, before: Point | undefined): Ratio | null {
  if (!served?.value || !before?.served?.value || bucket - before.bucket !== 86_400) return null;
  return minus(served.value, before.served.value);
}
