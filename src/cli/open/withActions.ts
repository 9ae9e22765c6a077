import { randomUUID } from 'node:crypto';
import { type DataSettings, data as service } from '../../../pipelines/data-api/source.ts';
import { exitCode } from '../../core/exitCode.ts';
import { FirnError } from '../../core/firnError.ts';
import { unsetError } from '../../core/input/unsetVariable.ts';
import type { Log } from '../../core/log.ts';
import type { NetworkFacts } from '../../core/stream/network.ts';
import { noteRun } from '../../load/bookkeeping/runRecords.ts';
import type { Warehouse } from '../../load/state/warehouse.ts';
import type { Project } from '../../run/openProject.ts';
import type { Settings } from '../../run/settings.ts';
import type { Fetch } from '../../run/sources/drive.ts';
import { readConfig } from '../config/config.ts';
import type { CliContext } from '../registerCommand.ts';
import { withProject } from './withProject.ts';

/** What a command that asks the data service to do something works with. */
export interface ActionContext {
  readonly settings: Settings;
  /** How the data service is configured. */
  readonly data: DataSettings;
  readonly network: NetworkFacts;
  readonly runId: string;
  /** The way to the data service. */
  readonly fetch: Fetch;
  readonly signal: AbortSignal;
  readonly log: Log;
  note(text: string): void;
  /** Opens the warehouse for a short piece of work, waiting for its lock. */
  withState<T>(work: (warehouse: Warehouse) => Promise<T>): Promise<T>;
}

/** An action may take hours at the service, and it must not end because a scheduled run was in the way for a while. */
const lockWaitMs = 3_600_000;

/**
 * Runs an action: reads the configuration, opens the way to the data service, and notes the run and what it spent.
 *
 * @param isFirst whether it may be the first one in the warehouse
 * @throws FirnError `config` when no data service is configured
 */
export async function withActions<T>(
  { global, console, signal }: CliContext,
  command: string,
  isFirst: boolean,
  work: (context: ActionContext) => Promise<T>,
): Promise<T> {
  const settings = readConfig(global);
  const data = settings.sources[service.name] as DataSettings | undefined;
  if (!data)
    throw new FirnError(
      'config',
      `firn ${command} asks the data service, which is not configured. Add sources.${service.name}.url to the configuration.`,
    );
  // An export is noted before it is asked for: one that cannot be noted must not be asked for.
  const unset = unsetError(service.name, data);
  if (unset) throw unset;
  const { log, note } = console;
  const run = { runId: randomUUID(), command };
  const options = { isFirst, signal, log, waitMs: lockWaitMs, onWait: note, onCopy: note };
  const open = <R>(use: (project: Project) => Promise<R>): Promise<R> =>
    withProject({ settings }, (project) => noted(project.warehouse, run, () => use(project)), options);
  const withState: ActionContext['withState'] = (use) => open(({ warehouse }) => use(warehouse));
  const { sources, network } = await open(async (project) => ({
    network: await project.knownNetwork(),
    sources: await project.openSources(),
  }));
  const fetch = sources.fetch[service.name];
  if (!fetch) throw new TypeError('the data service was not opened');
  try {
    return await work({ settings, data, network, runId: run.runId, fetch, signal, log, note, withState });
  } finally {
    // After Ctrl-C nothing waits for the lock any more; where nothing was spent, there is nothing to keep.
    if (signal.aborted || !sources.stats()[service.name]?.requests) await sources.close();
    else await withState((warehouse) => sources.close(warehouse));
  }
}

/** Does a part of a run, and notes that it began and how it ended. */
async function noted<R>(
  warehouse: Warehouse,
  run: { readonly runId: string; readonly command: string },
  work: () => Promise<R>,
): Promise<R> {
  try {
    await noteRun(warehouse, run);
    const result = await work();
    await noteRun(warehouse, { ...run, exitCode: 0 });
    return result;
  } catch (error) {
    // The first error is the one to tell.
    await noteRun(warehouse, { ...run, exitCode: exitCode(error) }).catch(() => {});
    throw error;
  }
}
