interface Options {
  readonly heightOf: (record: unknown) => number;
  readonly itemOf: (record: unknown) => string;
}

/** Finds rows without a key that are alike on two pages: another such row, or the same one again? */
interface Repeats {
  page(records: readonly unknown[]): void;
  /** Heights of blocks with such rows. */
  readonly heights: ReadonlySet<number>;
  /** The list begins again. */
  restart(): void;
}

/** For one walk through a list that is sorted by height: only the outermost blocks of a page can go on on another. */
export function createRepeats({ heightOf, itemOf }: Options): Repeats {
  const heights = new Set<number>();
  const seen = new Set<string>();
  return {
    heights,
    page(records) {
      const readable = records.map(heightOf).filter((height) => !Number.isNaN(height));
      const outermost = new Set([Math.min(...readable), Math.max(...readable)]);
      const own = new Set<string>();
      for (const record of records) {
        const height = heightOf(record);
        if (!outermost.has(height)) continue;
        const item = `${height} ${itemOf(record)}`;
        if (seen.has(item)) heights.add(height);
        own.add(item);
      }
      for (const item of own) seen.add(item);
    },
    restart: () => seen.clear(),
  };
}
