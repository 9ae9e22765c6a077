import { z } from 'zod';
import type { PartStatus } from '../../cluster/local/localCluster.ts';
import type { Migrated } from '../../cluster/migrate/migrateToCluster.ts';
import { count, objectOf } from './shapes.ts';

/** The parts of a cluster of this machine, and what they do now. */
export const clusterDocument = z.object({
  parts: z.array(objectOf<PartStatus>()({ name: z.string(), pid: count.nullable(), ready: z.boolean() })),
});

/** What was taken over. */
export const migrateDocument = objectOf<Migrated>()({
  files: count,
  rows: count,
  bytes: count,
  partitions: count,
});

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
