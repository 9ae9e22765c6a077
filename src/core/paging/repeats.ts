/** Finds rows without a key that are alike on two pages: another such row, or the same one again? */
interface Repeats {
  /** Takes a page: of each row its height, NaN where it is not known, and what tells it from others. */
  page(heights: Float64Array, items: readonly string[]): void;
  /** Heights of blocks with such rows. */
  readonly heights: ReadonlySet<number>;
  /** The list begins again. */
  restart(): void;
}

/**
 * For one walk through a list that is sorted by height. Only the outermost blocks of a page can continue on another; inside it
 * rows matter that are alike, since an overlapping page may hold fewer of them.
 */
export function createRepeats(): Repeats {
  const repeated = new Set<number>();
  const seen = new Set<string>();
  return {
    heights: repeated,
    page(heights, items) {
      const readable = heights.filter((height) => !Number.isNaN(height));
      const outermost = new Set([Math.min(...readable), Math.max(...readable)]);
      const counted = new Map<string, { readonly height: number; readonly count: number }>();
      for (const [place, text] of items.entries()) {
        const height = heights[place] as number;
        // A record that does not say its height has no block that could be read alone: alike in all, it is one in quarantine.
        if (Number.isNaN(height)) continue;
        const item = `${height} ${text}`;
        counted.set(item, { height, count: (counted.get(item)?.count ?? 0) + 1 });
      }
      for (const [item, { height, count }] of counted) {
        if (count === 1 && !outermost.has(height)) continue;
        if (seen.has(item)) repeated.add(height);
        seen.add(item);
      }
    },
    restart: () => seen.clear(),
  };
}
