import { agreement } from './compareValues.ts';
import { absolute, compareRatios, minus, nearestDouble, plus, type Ratio, ratioText } from './ratio.ts';
import type { Point, VariantReading, Verdict } from './series.ts';

/** Factors between wei, gwei and whole coins. */
const scales = [10n ** 9n, 10n ** 18n] as const;

/** An explanation of a whole series: a verdict for each bucket in which the documented reading does not agree. */
export interface SeriesExplanation {
  /** Undefined where the bucket needs no explanation or has none. */
  verdictAt(point: Point): Verdict | undefined;
}

type OwnAt = (point: Point) => Ratio | null | undefined;

/**
 * Looks for one thing that makes every settled bucket of a series agree: another reading, another unit, both, a constant offset, or 0 for
 * a value that does not exist. Something that fits only some buckets explains nothing.
 *
 * @param isLevel whether it is a level that only grows
 * @param points settled buckets with a covered own number
 * @param readings named readings, in the order in which they are tried
 */
export async function explainSeries(
  isLevel: boolean,
  points: readonly Point[],
  decimals: number,
  readings: ReadonlyMap<string, () => Promise<VariantReading>>,
): Promise<SeriesExplanation | undefined> {
  const documented: OwnAt = ({ own }) => own?.value;
  const zeroed: OwnAt = ({ own }) => own?.value ?? { num: 0n, den: 1n };
  const noValueAsZero = tryReading(points, decimals, zeroed, { verdict: 'variant_match', variant: 'no_value_as_zero' });
  if (noValueAsZero) return noValueAsZero;
  const found = new Map<string, OwnAt>();
  for (const [variant, read] of readings) {
    const reading = await read();
    const ownAt: OwnAt = ({ bucket }) => reading(bucket)?.value;
    found.set(variant, ownAt);
    const explanation = tryReading(points, decimals, ownAt, { verdict: 'variant_match', variant });
    if (explanation) return explanation;
  }
  for (const [variant, ownAt] of [['', documented] as const, ...found]) {
    for (const scale of scales) {
      const verdict: Verdict = variant
        ? { verdict: 'variant_match', variant, scale }
        : { verdict: 'scale_match', scale };
      const explanation = tryReading(points, decimals, scaled(ownAt, scale), verdict);
      if (explanation) return explanation;
    }
  }
  return tryOffset(isLevel, points);
}

const scaled =
  (ownAt: OwnAt, scale: bigint): OwnAt =>
  (point) => {
    const value = ownAt(point);
    return value ? { num: value.num, den: value.den * scale } : value;
  };

function tryReading(
  points: readonly Point[],
  decimals: number,
  ownAt: OwnAt,
  verdict: Verdict,
): SeriesExplanation | undefined {
  let decided = 0;
  const explained = new Set<number>();
  for (const point of points) {
    const value = ownAt(point);
    // Nothing served says nothing about a reading, unless the reading has no value there.
    if (!hasServedText(point) && value !== null) continue;
    if (value === undefined) return undefined;
    const served = point.served?.value;
    const isNearQuotient = verdict.scale !== undefined && value && served && areNear(value, served);
    if (!isNearQuotient && !agreement(point, decimals, value)) return undefined;
    if (agreement(point, decimals)) continue;
    explained.add(point.bucket);
    // Nothing (or 0) served exactly where one reading has no value is no coincidence; another number might be.
    decided += value === null || point.own?.value === null ? 2 : 1;
  }
  return decided >= 2 ? { verdictAt: ({ bucket }) => (explained.has(bucket) ? verdict : undefined) } : undefined;
}

const hasServedText = ({ served }: Point): boolean => typeof served?.text === 'string';

/** Every served level differs from the recomputed one by the same number. */
function tryOffset(isLevel: boolean, points: readonly Point[]): SeriesExplanation | undefined {
  const pairs = points.flatMap(({ own, served }) =>
    own?.value && served?.value ? [{ own: own.value, served: served.value }] : [],
  );
  const present = points.filter(hasServedText).length;
  const needed = isLevel ? 2 : 3;
  // The smallest level keeps the most digits of the offset where served numbers are doubles.
  const smallest = pairs.reduce(
    (a, b) => (compareRatios(absolute(b.own), absolute(a.own)) < 0 ? b : a),
    pairs[0] ?? { own: zero, served: zero },
  );
  // What a double cannot show of the smallest level is no offset, and would fit where larger ones are off by their last digit.
  if (areNear(smallest.own, smallest.served)) return undefined;
  const offset = minus(smallest.served, smallest.own);
  if (pairs.length < needed || pairs.length < present) return undefined;
  if (!pairs.every(({ own, served }) => areNear(plus(own, offset), served))) return undefined;
  const verdict: Verdict = { verdict: 'offset_constant', note: `served - own = ${ratioText(offset)} in every bucket` };
  return { verdictAt: (point) => (hasServedText(point) ? verdict : undefined) };
}

const zero: Ratio = { num: 0n, den: 1n };

/** Sums and quotients of doubles are off by their last digit; whole numbers below 2^53 are not. */
function areNear(own: Ratio, served: Ratio): boolean {
  const a = nearestDouble(own);
  const b = nearestDouble(served);
  return (
    a === b ||
    (!(Number.isSafeInteger(a) && Number.isSafeInteger(b)) &&
      Math.abs(a - b) <= 4 * Number.EPSILON * Math.max(Math.abs(a), Math.abs(b)))
  );
}
