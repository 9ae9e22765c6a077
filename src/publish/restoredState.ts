import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunRecord } from '../load/runRecords.ts';
import { type Manifest, readCurrent } from './manifest.ts';

type Run = Pick<RunRecord, 'runId' | 'startedAt' | 'finishedAt' | 'exitCode'>;

/** Times of files are coarser than those that are written into them. */
const coarseMs = 2_000;

/**
 * What to say of a state that is older than what is published, as one from a backup is; null where nothing tells so. Files alone tell it: nobody
 * may open the state just to ask.
 *
 * @param runs that are recorded beside the state
 */
export async function restoredState(warehouse: string, runs: readonly Run[], now: number): Promise<string | null> {
  const published = await readCurrent(warehouse).catch(() => undefined);
  // A clock that was ahead told a moment that says nothing.
  if (!published || Date.parse(published.published_at) > now) return null;
  if (!lacksRun(published, runs) && !(await isOlder(warehouse, published, runs))) return null;
  const { version, published_at } = published;
  return (
    `The state ${stateFile(warehouse)} is older than version ${version}, published ${published_at}, as where it was restored from a copy. ` +
    '"firn run" reads again what came since, and publishes it; what lists showed only in between is gone.'
  );
}

/** Whether the folder of the state is older as a whole: it has no record of the run that published, nor of one that came after it. */
const lacksRun = ({ run_id, published_at }: Manifest, runs: readonly Run[]): boolean =>
  runs.length > 0 && runs.every(({ runId, startedAt }) => runId !== run_id && startedAt < published_at);

/** Whether the database alone is older: a run that published and ended well has written to it since. */
async function isOlder(warehouse: string, { run_id, published_at }: Manifest, runs: readonly Run[]): Promise<boolean> {
  const publisher = runs.find(({ runId }) => runId === run_id);
  if (!publisher?.finishedAt || ![0, 3, 4].includes(publisher.exitCode ?? 1)) return false;
  const file = stateFile(warehouse);
  const written = await Promise.all([file, `${file}.wal`].map((path) => stat(path).catch(() => undefined)));
  const newest = Math.max(...written.map((found) => found?.mtimeMs ?? 0));
  return newest > 0 && newest + coarseMs < Date.parse(published_at);
}

const stateFile = (warehouse: string) => join(warehouse, '.state', 'firn.duckdb');
