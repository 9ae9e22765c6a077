import { z } from 'zod';
import type { HeldBack, QuarantineGroup, Unresolved } from '../../core/unresolved.ts';
import { count, objectOf, time } from './shapes.ts';

/** A relation that readers see as it was before. */
export const heldBack = objectOf<HeldBack>()({
  relation: z.string(),
  audit: z.string(),
  since: time,
  reason: z.string(),
});

/** Records in quarantine and relations held back, as they are now. */
export const unresolved = objectOf<Unresolved>()({
  records: count,
  accepted: count,
  streams: z.array(z.object({ stream: z.string(), records: count })),
  groups: z.array(
    objectOf<QuarantineGroup>()({
      stream: z.string(),
      partition: z.string(),
      reason: z.string(),
      records: count,
      times: count,
      firstAt: time,
      lastAt: time,
      example: z.string(),
    }),
  ),
  heldBack: z.array(heldBack),
});
