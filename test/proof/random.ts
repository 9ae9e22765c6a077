/** Numbers in [0, 1) by a seed (mulberry32): the same number gives the same ones for ever. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** One of several, as a random number chooses. */
export function pick<T>(items: readonly T[], random: () => number): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('There is nothing to choose from.');
  return item;
}

/** The same items in an order that never changes, in which any first part is a sample of all. */
export function shuffled<T>(items: readonly T[]): T[] {
  const random = createRandom(1);
  const keys = new Map(items.map((item) => [item, random()]));
  return [...items].sort((a, b) => (keys.get(a) ?? 0) - (keys.get(b) ?? 0));
}
