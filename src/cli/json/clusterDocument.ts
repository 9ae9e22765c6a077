import { z } from 'zod';
import type { PartStatus } from '../../cluster/local/localCluster.ts';
import { count, objectOf } from './shapes.ts';

/** The parts of a cluster of this machine, and what they do now. */
export const clusterDocument = z.object({
  parts: z.array(objectOf<PartStatus>()({ name: z.string(), pid: count.nullable(), ready: z.boolean() })),
});
