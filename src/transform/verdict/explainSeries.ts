import { agreement, mayRound } from './compareValues.ts';
import { absolute, compareRatios, minus, nearestDouble, plus, type Ratio, ratioText, zero } from './ratio.ts';
import type { Point, VariantReading, Verdict } from './series.ts';

/** Factors between wei, gwei and whole coins. */
const scales = [10n ** 9n, 10n ** 18n] as const;

/** An explanation of a whole series: a verdict for each bucket in which the documented reading does not agree. */
export interface SeriesExplanation {
  /** Undefined where the bucket needs no explanation or has none. */
  verdictAt(point: Point): Verdict | undefined;
}

type OwnAt = (point: Point) => Ratio | null | undefined;

const zeroNote = '0 is served where there is no value';

/** 0 for a value that does not exist: by itself, or beside another reading or unit. */
const noValueAsZero: Verdict = { verdict: 'variant_match', variant: 'no_value_as_zero', note: zeroNote };

/**
 * Looks for one thing that makes every settled bucket of a series agree: another reading, another unit, both, each also with 0 for a value
 * that does not exist, that 0 alone, or the constant offset of a level. Something that fits only some buckets explains nothing.
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
  const zeroed = tryReading(points, decimals, documented, noValueAsZero, true);
  if (zeroed) return zeroed;
  // A series of nothing but 0 follows no reading.
  const canBeZeroed = points.some(({ served }) => served?.value && served.value.num !== 0n);
  const tryEither = (ownAt: OwnAt, verdict: Verdict) =>
    tryReading(points, decimals, ownAt, verdict) ??
    (canBeZeroed ? tryReading(points, decimals, ownAt, verdict, true) : undefined);
  const found = new Map<string, OwnAt>();
  for (const [variant, read] of readings) {
    const reading = await read();
    const ownAt: OwnAt = ({ bucket }) => reading(bucket)?.value;
    found.set(variant, ownAt);
    const explanation = tryEither(ownAt, { verdict: 'variant_match', variant });
    if (explanation) return explanation;
  }
  for (const [variant, ownAt] of [['', documented] as const, ...found]) {
    for (const scale of scales) {
      const verdict: Verdict = variant
        ? { verdict: 'variant_match', variant, scale }
        : { verdict: 'scale_match', scale };
      const explanation = tryEither(scaled(ownAt, scale), verdict);
      if (explanation) return explanation;
    }
  }
  return isLevel ? tryOffset(points) : undefined;
}

const scaled =
  (ownAt: OwnAt, scale: bigint): OwnAt =>
  (point) => {
    const value = ownAt(point);
    return value ? { num: value.num, den: value.den * scale } : value;
  };

/** @param isZeroed whether 0 is served where the reading has no value */
function tryReading(
  points: readonly Point[],
  decimals: number,
  ownAt: OwnAt,
  verdict: Verdict,
  isZeroed = false,
): SeriesExplanation | undefined {
  let decided = 0;
  const explained = new Map<number, Verdict>();
  for (const point of points) {
    const said = ownAt(point);
    // Nothing served says nothing about a reading, unless the reading has no value there.
    if (!hasServedText(point) && said !== null) continue;
    if (said === undefined) return undefined;
    const isZero = isZeroed && said === null && hasServedText(point);
    const value = isZero ? zero : said;
    const served = point.served?.value;
    const isNearQuotient = verdict.scale !== undefined && value && served && areNear(value, served);
    if (!isNearQuotient && !agreement(point, decimals, value)) return undefined;
    if (agreement(point, decimals)) continue;
    const own = point.own?.value ?? null;
    const zeroed = own === null ? noValueAsZero : { ...verdict, note: zeroNote };
    explained.set(point.bucket, isZero ? zeroed : verdict);
    // 0 speaks for no other reading where the documented one has no value either, or where rounding may have left it.
    if (isZero && verdict !== noValueAsZero && (own === null || mayRound(own, zero, decimals))) continue;
    // Nothing (or 0) served exactly where one reading has no value is no coincidence; another number might be.
    decided += said === null || own === null ? 2 : 1;
  }
  return decided >= 2 ? { verdictAt: ({ bucket }) => explained.get(bucket) } : undefined;
}

const hasServedText = ({ served }: Point): boolean => typeof served?.text === 'string';

/** Every served level differs from the recomputed one by the same number: of what is no level, that would be a wrong number that does not change. */
function tryOffset(points: readonly Point[]): SeriesExplanation | undefined {
  const pairs = points.flatMap(({ own, served }) =>
    own?.value && served?.value ? [{ own: own.value, served: served.value }] : [],
  );
  const present = points.filter(hasServedText).length;
  // The smallest level keeps the most digits of the offset where served numbers are doubles.
  const smallest = pairs.reduce(
    (a, b) => (compareRatios(absolute(b.own), absolute(a.own)) < 0 ? b : a),
    pairs[0] ?? { own: zero, served: zero },
  );
  // What a double cannot show of the smallest level is no offset, and would fit where larger ones are off by their last digit.
  if (areNear(smallest.own, smallest.served)) return undefined;
  const offset = minus(smallest.served, smallest.own);
  if (pairs.length < 2 || pairs.length < present) return undefined;
  if (!pairs.every(({ own, served }) => areNear(plus(own, offset), served))) return undefined;
  const verdict: Verdict = { verdict: 'offset_constant', note: `served - own = ${ratioText(offset)} in every bucket` };
  return { verdictAt: (point) => (hasServedText(point) ? verdict : undefined) };
}

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
