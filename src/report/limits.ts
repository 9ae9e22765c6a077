/** How much of each thing a page shows at most, and at least: a warehouse of any size must fit one megabyte. */
const bounds = {
  /** Chains that the header names, that have a matrix, and that have plots. */
  chains: [8, 2],
  matrices: [24, 2],
  plots: [8, 0],
  /** The newest hours of each series, and the newest buckets of those of other intervals. */
  hours: [9504, 0],
  points: [4000, 40],
  /** Rows of a table of coverage. */
  rows: [400, 5],
  /** Explanations of what does not agree, and buckets in each. */
  explanations: [80, 4],
  examples: [6, 1],
  streams: [80, 20],
  partitions: [40, 0],
  coverageDays: [1500, 60],
  runs: [60, 5],
  reasons: [50, 3],
  /** Characters of a text that came from elsewhere. */
  text: [600, 60],
} as const;

/** How much of each thing a page shows. */
export type PageLimits = Readonly<Record<keyof typeof bounds, number>>;

/** A share of all limits, each rounded, but never below the least. */
const share = (part: number): PageLimits =>
  Object.fromEntries(
    Object.entries(bounds).map(([name, [most, least]]) => [name, Math.max(least, Math.round(most * part))]),
  ) as PageLimits;

const whole = share(1);

/** From everything to hardly anything; a page takes the first that fits. Rows of coverage shrink first, then hours. */
export const limitSteps: readonly PageLimits[] = [
  whole,
  { ...whole, rows: 45 },
  ...[4416, 2208, 744].map((hours) => ({ ...whole, rows: 45, hours })),
  ...[0.6, 0.4, 0.2, 0.1, 0.02].map(share).map((limits, step) => ({
    ...limits,
    rows: Math.max(bounds.rows[1], Math.round(limits.rows / 8)),
    hours: step === 0 ? 168 : 0,
  })),
];
