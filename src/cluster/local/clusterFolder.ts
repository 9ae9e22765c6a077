import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where a cluster of this machine is kept; root's home is closed to PostgreSQL, which runs as another account there. */
export const clusterFolder = (): string =>
  join(process.getuid?.() === 0 ? '/var/cache' : join(homedir(), '.cache'), 'firn', 'cluster');
