import { z } from 'zod';
import { intervals } from '../bucketTime.ts';

/** What a metric is computed from. */
export type Input = 'blocks' | 'receipts' | 'traces';

const text = z.string().min(1);

const needs = z
  .enum(['blocks', 'receipts', 'traces', 'blocks since genesis', 'receipts since genesis', 'traces since genesis'])
  .transform((needed) => {
    const [input = '', since] = needed.split(' since ');
    return { input: input as Input, sinceGenesis: since !== undefined };
  });

/** What the header of a metric's file says apart from what it counts: everything else that names metrics follows from this. */
export const metricHeader = z
  .strictObject({
    /** Its place where metrics are listed, and among the columns of `mart.metric_daily`. */
    rank: z.int().positive(),
    /** In words, for people who do not know the name. */
    title: text,
    unit: text,
    intervals: z.array(z.enum(intervals)).min(1),
    /** What must be held and proved; a metric that needs it since genesis is a level that only grows. */
    needs,
    /** Whether it is a quotient, whose value is rounded, rather than a whole number. */
    quotient: z.boolean().default(false),
    /** The metric whose values by day add up to its levels. */
    total_of: text.nullable().default(null),
    /** Named readings of the definition, with what is different. */
    variants: z.record(z.string().regex(/^[a-z][a-z0-9_]*$/, 'write lower-case words joined by _'), text).default({}),
    /** The reading whose levels stand at the start of their bucket, if there is one: it grows by what the bucket before has of `total_of`. */
    before: text.nullable().default(null),
    /** A query for the rows that count most in a bucket: of `$chain`, in [`$from`, `$until`). */
    contributors: text.refine((sql) => ['$chain', '$from', '$until'].every((name) => sql.includes(name)), {
      error: 'name $chain, $from and $until in it',
    }),
  })
  .readonly();

export interface Metric extends z.output<typeof metricHeader> {
  /** As the API spells it. */
  readonly name: string;
}
