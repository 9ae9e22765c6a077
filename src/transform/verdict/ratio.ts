/** An exact quotient of two integers, `den` above 0. */
export interface Ratio {
  readonly num: bigint;
  readonly den: bigint;
}

export const zero: Ratio = { num: 0n, den: 1n };

/** Negative, zero or positive as a is below, equal to or above b. */
export function compareRatios(a: Ratio, b: Ratio): number {
  const difference = a.num * b.den - b.num * a.den;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

export const minus = (a: Ratio, b: Ratio): Ratio => ({ num: a.num * b.den - b.num * a.den, den: a.den * b.den });
export const plus = (a: Ratio, b: Ratio): Ratio => ({ num: a.num * b.den + b.num * a.den, den: a.den * b.den });
export const absolute = ({ num, den }: Ratio): Ratio => ({ num: num < 0n ? -num : num, den });

const bitLength = (n: bigint): number => n.toString(2).length;

/** The double nearest to an exact quotient, ties to even: what one correctly rounded division would give. */
export function nearestDouble({ num, den }: Ratio): number {
  if (num < 0n) return -nearestDouble({ num: -num, den });
  // The quotient is scaled to more bits than a double holds. The last bit says whether anything was cut off, so that
  // the rounding of Number() comes out as if of the exact quotient.
  const shift = 66 - (bitLength(num) - bitLength(den));
  const scaled = shift >= 0 ? num << BigInt(shift) : num;
  const divisor = shift >= 0 ? den : den << BigInt(-shift);
  const whole = scaled / divisor;
  const sticky = scaled % divisor === 0n ? whole : whole | 1n;
  // Below the normal range a second rounding could creep in; nothing measured here is that small.
  return Number(sticky) * 2 ** -shift;
}

/** A number as JSON writes it: sign, digits before and after the point, and exponent. */
const written = /^\s*([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?\s*$/;

/** The exact value of a number as JSON writes it, or null for what is not a number. */
export function parseNumber(text: string): Ratio | null {
  const [, sign, whole = '', fraction = '', exponent = '0'] = written.exec(text) ?? [];
  if (sign === undefined || whole + fraction === '') return null;
  const digits = BigInt(whole + fraction) * (sign === '-' ? -1n : 1n);
  const power = Number(exponent) - fraction.length;
  return power >= 0 ? { num: digits * 10n ** BigInt(power), den: 1n } : { num: digits, den: 10n ** BigInt(-power) };
}

/** Digits after the decimal point that a number shows: 2 for `1.98`, 0 for `12` and `1.2e3`, 8 for `1.25e-6`. */
export function decimalsOf(text: string): number {
  const [, , , fraction = '', exponent = '0'] = written.exec(text) ?? [];
  return Math.max(0, fraction.length - Number(exponent));
}

/** Exact digits of a whole number, the shortest double of any other. */
export const ratioText = (value: Ratio): string =>
  value.num % value.den === 0n ? String(value.num / value.den) : String(nearestDouble(value));
