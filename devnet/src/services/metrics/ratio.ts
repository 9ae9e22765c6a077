/** An exact value: every metric is a quotient of two integers, with denominator 1 for counts and sums. */
export interface Ratio {
  readonly num: bigint;
  readonly den: bigint;
}

export const whole = (value: bigint | number): Ratio => ({ num: BigInt(value), den: 1n });

/** The quotient, or null where the denominator is 0: a value that does not exist. */
export const ratio = (num: bigint, den: bigint): Ratio | null => (den === 0n ? null : { num, den });

export const isGreater = (a: Ratio, b: Ratio): boolean => a.num * b.den > b.num * a.den;

export const sum = (a: Ratio, b: Ratio): Ratio => ({ num: a.num * b.den + b.num * a.den, den: a.den * b.den });

const exact = 2n ** 53n;

/** The double nearest to the exact quotient of two integers that are not negative. */
export function nearestDouble({ num, den }: Ratio): number {
  if (num <= exact && den <= exact) return Number(num) / Number(den);
  // Enough bits that the remainder can only matter as "a little more", which the lowest bit then says.
  const shift = Math.max(0, 64 + den.toString(2).length - num.toString(2).length);
  const scaled = num << BigInt(shift);
  const quotient = scaled / den;
  return Number(scaled % den === 0n ? quotient : quotient | 1n) * 2 ** -shift;
}
