import { z } from 'zod';
import { count } from './shapes.ts';

/** What a worker read until it ended. */
export const workerDocument = z.object({
  /** Stretches, partitions, and looks at what is new. */
  parts: count,
  rows: count,
  childRows: count,
  quarantined: count,
  /** Rows of all workers that this one made part of the lake. */
  applied: count,
  /** Parts that failed; they are handed out again. */
  failed: count,
});
