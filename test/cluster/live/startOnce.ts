import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { clusterFolder, clusterStatus, startCluster, stopCluster } from '../../../src/cluster/local/localCluster.ts';

declare module 'vitest' {
  interface ProvidedContext {
    trino: string;
    bucketFolder: string;
    control: string;
    bucket: string;
    /** What starts those of its parts that do not run. */
    parts: { readonly folder: string; readonly programs: string; readonly port: number };
  }
}

/** Ports that nobody's own cluster has by default. */
const parts = { folder: join(clusterFolder(), 'test'), programs: join(clusterFolder(), 'programs'), port: 18480 };

/**
 * Starts a cluster for all files, and ends it after. With FIRN_KEEP_CLUSTER=1 it stays for the next run, with all that is in it: who works on
 * one file does not wait for Trino each time. A run without it removes it.
 */
export default async function startOnce(project: TestProject) {
  const isKept = process.env['FIRN_KEEP_CLUSTER'] === '1';
  const options = { ...parts, print: console.error };
  const stop = async () => void (await stopCluster(parts.folder, true));
  // What an earlier run left would be taken for what this one made.
  if (!isKept || !(await clusterStatus(parts.folder)).every(({ ready }) => ready)) await stop();
  const { trino, bucketFolder, control, bucket } = await startCluster(options).catch(async (error) => {
    await stop();
    throw error;
  });
  project.provide('trino', trino);
  project.provide('bucketFolder', bucketFolder);
  project.provide('control', control);
  project.provide('bucket', bucket.url);
  project.provide('parts', parts);
  return isKept ? undefined : stop;
}
