import { stat } from 'node:fs/promises';
import { didItsWork } from '../../core/exitCode.ts';
import { publishedBy, type RunRecord } from '../../load/bookkeeping/runRecords.ts';
import { stateFile } from '../../load/state/stateFile.ts';
import { currentFile, type Manifest, readCurrent } from '../manifest.ts';
import { olderState } from './olderState.ts';

type Run = Pick<RunRecord, 'runId' | 'startedAt' | 'finishedAt' | 'exitCode' | 'summary'>;

/** Times of files are coarser than those that are written into them. */
const coarseMs = 2_000;

/**
 * What to say of a state that is older than what is published, as one from a backup is; null where nothing tells so. Files alone tell it: nobody
 * may open the state just to ask.
 *
 * @param runs that are recorded beside the state
 */
export async function restoredState(warehouse: string, runs: readonly Run[], now: number): Promise<string | null> {
  // A clock that was ahead told moments that say nothing.
  const good = runs.filter(({ startedAt, exitCode }) => didItsWork(exitCode) && Date.parse(startedAt) <= now);
  const written = await writtenAt(warehouse);
  if (written === undefined || !(await mayBeOlder(warehouse, written, good))) return null;
  const published = await readCurrent(warehouse).catch(() => undefined);
  if (!published || Date.parse(published.published_at) > now) return null;
  if (!lacksRun(published, runs, good) && !(await isOlder(warehouse, published, runs))) return null;
  return `${olderState(warehouse, published)} "firn run" reads again what came since, and publishes it; what lists showed only in between is gone.`;
}

/** When the manifest was written, in milliseconds since the epoch; undefined where there is none. */
const writtenAt = (warehouse: string) =>
  stat(currentFile(warehouse)).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );

/** Whether it is worth a look into the manifest, which takes long where it names thousands of files. */
const mayBeOlder = async (warehouse: string, written: number, good: readonly Run[]): Promise<boolean> =>
  !good.some(({ finishedAt }) => Date.parse(finishedAt ?? '') >= written) ||
  (await stateAt(warehouse)) + coarseMs < written;

/** When the state was last written, in milliseconds since the epoch; 0 where there is none. */
async function stateAt(warehouse: string): Promise<number> {
  const file = stateFile(warehouse);
  const found = await Promise.all([file, `${file}.wal`].map((path) => stat(path).catch(() => undefined)));
  return Math.max(...found.map((one) => one?.mtimeMs ?? 0));
}

/**
 * Whether the folder of the state is older as a whole: its records reach back to before the version, and hold neither a run that published it nor
 * one that ended well since. One that failed, as a publish of such a state does, brought nothing back.
 */
const lacksRun = ({ run_id, version, published_at }: Manifest, runs: readonly Run[], good: readonly Run[]): boolean =>
  runs.some(({ startedAt }) => startedAt < published_at) &&
  runs.every((run) => run.runId !== run_id && publishedBy(run) !== version) &&
  good.every(({ startedAt }) => startedAt < published_at);

/** Whether the database alone is older: a run that published and ended well has written to it since. */
async function isOlder(warehouse: string, { run_id, published_at }: Manifest, runs: readonly Run[]): Promise<boolean> {
  const publisher = runs.find(({ runId }) => runId === run_id);
  if (!publisher?.finishedAt || !didItsWork(publisher.exitCode)) return false;
  const newest = await stateAt(warehouse);
  return newest > 0 && newest + coarseMs < Date.parse(published_at);
}
