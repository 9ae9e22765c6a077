import { z } from 'zod';
import type { Replayed } from '../../run/upkeep/replayQuarantine.ts';
import type { ResetStream } from '../../run/upkeep/resetStream.ts';
import { dropped } from './runDocument.ts';
import { count, objectOf, rowOf, time } from './shapes.ts';

const checkpoint = rowOf({ stream: z.string(), partition: z.string(), position: z.string(), updatedAt: time });

/** Where every partition stands. A position is JSON of its own, with numbers of any size: text. */
export const checkpointsDocument = z.object({ checkpoints: z.array(checkpoint) });

const openBackfill = z.object({ partition: z.string(), asked: z.string() });

/** Partitions whose checkpoints are forgotten, and the backfills under way, which stay. */
export const resetDocument = objectOf<ResetStream>()({
  stream: z.string(),
  partitions: z.array(z.string()),
  backfills: z.array(openBackfill),
});

/** What went, or with --dry-run would go: of a stream, or of all rows before a time. */
export const dropDocument = z.object({
  stream: z.string().optional(),
  partitions: z.array(z.string()).optional(),
  before: time.optional(),
  dropped: z.array(dropped),
  /** Partitions that share rows with what goes, of which a backfill reads again what a sync does not. */
  backfills: z.array(openBackfill).optional(),
  /** Chains of which nothing goes: blocks below others are still to be read. */
  waiting: z.array(z.string()).optional(),
  dryRun: z.boolean(),
});

const record = rowOf({
  id: count,
  loadId: count,
  stream: z.string(),
  partition: z.string(),
  reason: z.string(),
  /** As it came: JSON as text. */
  record: z.string(),
  timesSeen: count,
  firstSeenAt: time,
  lastSeenAt: time,
  replayedAt: time.nullable(),
  acceptedAt: time.nullable(),
  acceptedBecause: z.string().nullable(),
});

/** The newest records that could not be read, and whether there are more. */
export const quarantineDocument = z.object({ records: z.array(record), more: z.boolean() });

/** Records that were read again. */
export const replayDocument = z.object({
  partitions: z.array(
    objectOf<Replayed>()({ stream: z.string(), partition: z.string(), tried: count, readable: count }),
  ),
});

/** Records that are accepted as they are, and how many are still unresolved. */
export const acceptDocument = z.object({ accepted: count, unresolved: count });

/** Records that are no longer accepted, and how many are unresolved now. */
export const reopenDocument = z.object({ reopened: count, unresolved: count });
