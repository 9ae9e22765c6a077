/** Everything that a seed decides. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** A whole number in [low, high]. */
  between(low: number, high: number): number;
  /** True with this probability. */
  chance(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
  shuffle<T>(list: readonly T[]): T[];
  /** Another source of its own: what one part draws does not change what others do. */
  fork(): Random;
}

/** sfc32, after its warm-up. */
export function createRandom(seed: number): Random {
  let [a, b, c, d] = [0x9e3779b9, 0x243f6a88, seed | 0, (seed / 2 ** 32) | 0 | 1];
  const step = (): number => {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let i = 0; i < 16; i++) step();
  const between = (low: number, high: number) => low + Math.floor(step() * (high - low + 1));
  return {
    next: step,
    between,
    chance: (probability) => step() < probability,
    pick: (from) => from[between(0, from.length - 1)] as never,
    shuffle(list) {
      const all = [...list];
      for (let i = all.length - 1; i > 0; i--) {
        const j = between(0, i);
        [all[i], all[j]] = [all[j] as never, all[i] as never];
      }
      return all;
    },
    fork: () => createRandom(step() * 2 ** 48),
  };
}
