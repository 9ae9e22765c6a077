import { randomUUID } from 'node:crypto';
import { actions, catalogue } from '../../pipelines/index.ts';
import { exitCode } from '../core/exitCode.ts';
import { FirnError } from '../core/firnError.ts';
import type { NetworkFacts } from '../core/network.ts';
import type { Log } from '../extract/http.ts';
import type { Warehouse } from '../load/warehouse.ts';
import { openWhenFree } from '../run/openWhenFree.ts';
import { unsetError } from '../run/plan/unsetVariable.ts';
import { noteRun } from '../run/records/noteRun.ts';
import { noteUnresolved } from '../run/records/noteUnresolved.ts';
import type { Settings } from '../run/settings.ts';
import type { Fetch } from '../run/sources/fetch.ts';
import { knownNetwork } from '../run/sources/knownNetwork.ts';
import { openSources, type Sources } from '../run/sources/openSources.ts';
import { tablesOf } from '../run/tablesOf.ts';
import { readConfig } from './config.ts';
import type { CliContext } from './registerCommand.ts';

/** What a command that asks the data service to do something works with. */
export interface ActionContext {
  readonly settings: Settings;
  /** How the data service is configured. */
  readonly data: NonNullable<Settings['sources']['data']>;
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
 * @throws FirnError `config` when no data service is configured
 */
export async function withActions<T>(
  { global, console, signal }: CliContext,
  command: string,
  work: (context: ActionContext) => Promise<T>,
): Promise<T> {
  const settings = readConfig(global);
  const { data } = settings.sources;
  if (!data) {
    throw new FirnError(
      'config',
      `firn ${command} asks the data service, which is not configured. Add sources.data.url to the configuration.`,
    );
  }
  // An export is noted as asked for before it is: what cannot be asked must not be.
  const unset = unsetError('data', data);
  if (unset) throw unset;
  const runId = randomUUID();
  const tables = tablesOf([...catalogue, ...actions]);
  const note = (text: string) => console.note(text);
  const onBackup = (path: string) => note(`This firn changes the schema of the state; its copy is kept: ${path}`);
  const withState = async <R>(use: (warehouse: Warehouse) => Promise<R>): Promise<R> => {
    const lock = { waitMs: lockWaitMs, signal, onWait: note };
    const warehouse = await openWhenFree({ folder: settings.warehouse, tables, onBackup }, lock);
    try {
      await noteRun(warehouse, runId, command, null);
      const result = await use(warehouse);
      await noteRun(warehouse, runId, command, 0);
      await noteUnresolved(warehouse);
      return result;
    } catch (error) {
      // The first error is the one to tell.
      await noteRun(warehouse, runId, command, exitCode(error)).catch(() => {});
      throw error;
    } finally {
      warehouse.close();
    }
  };
  const { sources, network } = await withState(
    async (warehouse): Promise<{ sources: Sources; network: NetworkFacts }> => ({
      network: await knownNetwork(warehouse, settings),
      sources: await openSources({
        settings: { ...settings, sources: { data } },
        signal,
        log: console.log,
        warehouse,
      }),
    }),
  );
  const { data: fetch } = sources.fetch;
  if (!fetch) throw new TypeError('the data service was not opened');
  try {
    return await work({ settings, data, network, runId, fetch, signal, log: console.log, note, withState });
  } finally {
    // After Ctrl-C nothing waits for the lock any more; where nothing was spent, there is nothing to keep.
    if (signal.aborted || !sources.stats().data?.requests) await sources.close();
    else await withState((warehouse) => sources.close(warehouse));
  }
}
