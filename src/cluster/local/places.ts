import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where a cluster of this machine keeps what it fetched, and what it runs. */
export interface Places {
  /** Programs, fetched once. */
  readonly programs: string;
  /** Data, configuration, logs and pids. */
  readonly run: string;
}

/** Those below a folder; programs may be shared by several clusters. */
export const placesIn = (folder: string, programs = join(folder, 'programs')): Places => ({
  programs,
  run: join(folder, 'run'),
});

/** Ports from a first one on, all on 127.0.0.1: Trino's coordinator, its workers, the bucket, PostgreSQL. */
export interface Ports {
  readonly trino: number;
  readonly workers: readonly number[];
  readonly bucket: number;
  readonly postgres: number;
}

export const portsFrom = (first: number): Ports => ({
  trino: first,
  workers: [first + 1, first + 2],
  bucket: first + 3,
  postgres: first + 4,
});

/** The first port of a cluster as its coordinator was last configured; the default one where it was never started. */
export async function firstPort({ run }: Places): Promise<number> {
  const configured = await readFile(join(run, 'coordinator', 'etc', 'config.properties'), 'utf8').catch(() => '');
  return Number(/^http-server\.http\.port=(\d+)$/m.exec(configured)?.[1] ?? 18080);
}
