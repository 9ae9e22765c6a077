import { groupDigits } from './numberText.ts';

/** How far a served value is from the recomputed one: the amount, exact where both are whole, and its share of the recomputed one. */
export interface DifferenceTexts {
  readonly amount: string;
  /** In per cent; null where the recomputed value is 0. */
  readonly share: string | null;
}

/** @param scale factor that the served value is multiplied by first */
export function differenceTexts(own: string, served: string, scale: number): DifferenceTexts {
  const whole = /^-?\d+$/;
  const areWhole = whole.test(own) && whole.test(served) && Number.isInteger(scale);
  const exact = areWhole ? BigInt(served) * BigInt(scale) - BigInt(own) : null;
  const amount = exact === null ? Number((Number(served) * scale - Number(own)).toPrecision(6)) : Number(exact);
  const sign = amount > 0 ? '+' : '';
  const share = Number(own) === 0 ? null : (amount / Math.abs(Number(own))) * 100;
  return {
    amount: amount === 0 ? '0' : `${sign}${groupDigits(exact === null ? String(amount) : exact.toString())}`,
    share: share === null ? null : share === 0 ? '0\u00a0%' : `${sign}${Number(share.toPrecision(3))}\u00a0%`,
  };
}
