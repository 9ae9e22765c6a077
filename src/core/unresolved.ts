import { z } from 'zod';

/** Records of one partition in quarantine for one reason. Times are milliseconds since the epoch. */
const quarantineGroup = z.object({
  stream: z.string(),
  partition: z.string(),
  reason: z.string(),
  records: z.number(),
  /** How often they came, all together. */
  times: z.number(),
  firstAt: z.number(),
  lastAt: z.number(),
  /** One of them, cut where it is long. */
  example: z.string(),
});
export type QuarantineGroup = z.infer<typeof quarantineGroup>;

/** A relation that readers see in its last good version, or not at all where there is none. */
const heldBack = z.object({
  relation: z.string(),
  /** The audit that found rows, or the model that cannot be built. */
  audit: z.string(),
  since: z.number(),
  reason: z.string(),
});
export type HeldBack = z.infer<typeof heldBack>;

/** What needs somebody's attention for as long as it lasts, as the state has it, published or not. */
export const unresolvedSchema = z.object({
  /** Records that were neither read later nor accepted. */
  records: z.number(),
  accepted: z.number(),
  streams: z.array(z.object({ stream: z.string(), records: z.number() })).readonly(),
  /** The largest groups, 200 at most. */
  groups: z.array(quarantineGroup).readonly(),
  heldBack: z.array(heldBack).readonly(),
});
export type Unresolved = z.infer<typeof unresolvedSchema>;
