/** How much of each thing a page shows. A warehouse of any size must fit one megabyte. */
export interface PageLimits {
  /** Chains with a matrix, and with plots. */
  readonly matrices: number;
  readonly plots: number;
  /** The newest hours of each series, and the newest buckets of those of other intervals. */
  readonly hours: number;
  readonly points: number;
  /** Rows of a table of coverage. */
  readonly rows: number;
  /** Explanations of what does not agree, and buckets in each. */
  readonly explanations: number;
  readonly examples: number;
  readonly streams: number;
  readonly partitions: number;
  readonly coverageDays: number;
  readonly runs: number;
  readonly reasons: number;
  /** Characters of a text that came from elsewhere. */
  readonly text: number;
}

const whole: PageLimits = {
  matrices: 24,
  plots: 8,
  hours: 9504,
  points: 4000,
  rows: 400,
  explanations: 80,
  examples: 6,
  streams: 80,
  partitions: 40,
  coverageDays: 1500,
  runs: 60,
  reasons: 50,
  text: 600,
};

const least: PageLimits = {
  matrices: 2,
  plots: 0,
  hours: 0,
  points: 40,
  rows: 5,
  explanations: 4,
  examples: 1,
  streams: 20,
  partitions: 0,
  coverageDays: 60,
  runs: 5,
  reasons: 3,
  text: 60,
};

/** A share of all limits, each rounded, but never below the least. */
function share(part: number): PageLimits {
  const names = Object.keys(whole) as (keyof PageLimits)[];
  return Object.fromEntries(
    names.map((name) => [name, Math.max(least[name], Math.round(whole[name] * part))]),
  ) as unknown as PageLimits;
}

/** From everything to hardly anything; a page takes the first that fits. Rows of coverage shrink first, then hours. */
export const limitSteps: readonly PageLimits[] = [
  whole,
  { ...whole, rows: 45 },
  ...[4416, 2208, 744].map((hours) => ({ ...whole, rows: 45, hours })),
  ...[0.6, 0.4, 0.2, 0.1, 0.02].map(share).map((limits, step) => ({
    ...limits,
    rows: Math.max(least.rows, Math.round(limits.rows / 8)),
    hours: step === 0 ? 168 : 0,
  })),
];
