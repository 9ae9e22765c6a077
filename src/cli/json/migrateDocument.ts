import type { Migrated } from '../../cluster/migrate/migrateToCluster.ts';
import { count, objectOf } from './shapes.ts';

/** What was taken over. */
export const migrateDocument = objectOf<Migrated>()({
  files: count,
  rows: count,
  bytes: count,
  partitions: count,
});
