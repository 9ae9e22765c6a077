import { intervals } from '../transform/bucketTime.ts';

/** What the report says about a metric, as the header of its file has it. */
export interface MetricFacts {
  readonly name: string;
  /** In words, for people who do not know the name. */
  readonly title: string;
  readonly unit: string;
  readonly intervals: readonly string[];
  /** Levels that only grow are drawn from their lowest value, all others from zero. */
  readonly isLevel: boolean;
  /** What it counts, its unit and its pitfalls. */
  readonly definition: string;
  /** Where its SQL stands; null where that is not known. */
  readonly file: string | null;
  /** Query for the rows that count most in a bucket: of `$chain`, in [`$from`, `$until`). */
  readonly contributors: string | null;
}

/** Metrics by name, in their order. */
export interface MetricIndex {
  readonly names: readonly string[];
  /** Facts of a metric; an unknown one is called by its name. */
  of(name: string): MetricFacts;
  /** Compares metrics by their order; unknown ones come last. */
  compare(a: string, b: string): number;
}

/** @param metrics in their order */
export function metricIndex(metrics: readonly MetricFacts[]): MetricIndex {
  const places = new Map(metrics.map(({ name }, place) => [name, place]));
  const place = (name: string) => places.get(name) ?? metrics.length;
  return {
    names: metrics.map(({ name }) => name),
    of: (name) => metrics[place(name)] ?? unknown(name),
    compare: (a, b) => place(a) - place(b),
  };
}

const unknown = (name: string): MetricFacts => ({
  name,
  title: name,
  unit: '',
  intervals,
  isLevel: false,
  definition: 'This version of firn has no definition of it.',
  file: null,
  contributors: null,
});
