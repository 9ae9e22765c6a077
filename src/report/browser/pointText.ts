import type { PlottedPoint } from '../reportData.ts';
import { differenceTexts } from '../texts/differenceTexts.ts';
import { groupDigits } from '../texts/numberText.ts';
import { bucketText } from '../texts/timeText.ts';
import { groupFacts, groupOf, overflows } from '../verdicts/verdictFacts.ts';

/** "No value", "nothing claimed" and "too long" are different. */
export function ownText(point: PlottedPoint): string {
  if (point.own !== null) return groupDigits(point.own);
  if (overflows(point)) return overflowing;
  return point.covered ? 'no value' : 'not covered';
}

const overflowing = 'more than 38 digits';

export const servedText = ({ served }: PlottedPoint): string =>
  served === null ? 'nothing' : served === '?' ? 'no number' : groupDigits(served);

/** served − own, as a number and as a share; null where one of them is missing. */
export const differenceText = ({ own, served }: PlottedPoint, scale: number): string | null => {
  if (own === null || served === null || served === '?') return null;
  const { amount, share } = differenceTexts(own, served, scale);
  return share === null ? amount : `${amount} (${share})`;
};

export const blocksText = ({ firstBlock, lastBlock }: PlottedPoint): string =>
  firstBlock === null || lastBlock === null ? 'none' : `${firstBlock} – ${lastBlock}`;

/** A verdict's name with a short explanation. */
export function verdictText(point: PlottedPoint): string {
  const { verdict } = point;
  if (verdict === null) return 'not compared';
  const word = overflows(point) ? overflowing : groupFacts[groupOf(verdict)].word;
  return word === verdict ? word : `${word} (${verdict})`;
}

/** A point in one line. */
export function pointText(point: PlottedPoint, interval: string, scale: number): string {
  const difference = differenceText(point, scale);
  return [
    `${bucketText(point.bucket, interval)}: own ${ownText(point)}`,
    `served ${servedText(point)}`,
    difference !== null && `served − own ${difference}`,
    `blocks ${blocksText(point)}`,
    verdictText(point),
  ]
    .filter(Boolean)
    .join(', ');
}
