import { z } from 'zod';
import type { ExportPart, ExportState } from '../../run/exports/exportState.ts';
import { count, objectOf, time } from './shapes.ts';

const part = objectOf<ExportPart>()({
  firstDate: z.string().nullable(),
  askedAt: time,
  operationId: z.string().nullable(),
  status: z.string().nullable(),
  outcome: z.enum(['asked', 'running', 'done', 'failed']),
  said: z.string().nullable(),
  nextDate: z.string().nullable(),
  file: z.object({ path: z.string(), bytes: count, sha256: z.string() }).nullable(),
  rows: count.nullable(),
});

/** Where exports stand. */
export const exportDocument = z.object({
  exports: z.array(
    objectOf<ExportState>()({ id: z.string(), body: z.record(z.string(), z.unknown()), parts: z.array(part) }),
  ),
});
