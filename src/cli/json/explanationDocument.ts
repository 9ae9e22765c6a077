import { z } from 'zod';
import { intervals } from '../../transform/bucketTime.ts';
import type { Explanation } from '../../transform/reconcile/explain.ts';
import { objectOf, row, time } from './shapes.ts';

/** What leads from one number to its blocks. */
export const explanationDocument = objectOf<Explanation>()({
  chain: z.string(),
  metric: z.string(),
  interval: z.enum(intervals),
  bucket: time,
  definition: z.string(),
  variants: z.record(z.string(), z.string()),
  own: row.nullable(),
  verdict: row.nullable(),
  coverage: row.nullable(),
  knownEmpty: z.boolean(),
  served: z.array(row),
  top: z.array(row),
  topSql: z.string(),
  ownSql: z.string(),
  bothSql: z.string(),
  variantSql: z.string().nullable(),
});
