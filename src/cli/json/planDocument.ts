import { z } from 'zod';
import type { PartitionPlan } from '../../run/plan/planSync.ts';
import { count, measure, objectOf } from './shapes.ts';

const partition = objectOf<PartitionPlan>()({
  stream: z.string(),
  partition: z.string(),
  way: z.enum(['range', 'slice', 'newestFirst', 'snapshot', 'lookup']),
  from: z.string(),
  to: z.string(),
  rows: count.nullable(),
  requests: count,
  computeUnits: measure,
  bytes: measure.nullable(),
  note: z.string().optional(),
  code: z.string().optional(),
});

/** What a sync would read, and how many hours of each source's quota that takes. */
export const planDocument = z.object({
  partitions: z.array(partition),
  hours: z.record(z.string(), measure),
});
