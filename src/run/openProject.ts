import { hasCode } from '../core/firnError.ts';
import type { Log } from '../core/log.ts';
import type { NetworkFacts } from '../core/stream/network.ts';
import type { Source } from '../core/stream/source.ts';
import { type Declared, tablesOf } from '../core/stream/stream.ts';
import type { Outside } from '../extract/http/outside.ts';
import { throwIfAborted } from '../extract/interruption.ts';
import { adoptMembers } from '../load/adopt/adoptMembers.ts';
import { keyOldRecords } from '../load/adopt/keyOldRecords.ts';
import { tellDropped } from '../load/bookkeeping/droppedReads.ts';
import { type OpenOptions, openWarehouse, type Warehouse } from '../load/state/warehouse.ts';
import { evmNames, type PlannedStream } from './planStreams.ts';
import type { Settings } from './settings.ts';
import type { Fetches } from './sources/drive.ts';
import { openSources, type Sources } from './sources/openSources.ts';
import { knownNetwork, type ResolvedNetwork, resolveNetwork } from './sources/resolveNetwork.ts';
import { type LockWait, whenFree } from './whenFree.ts';

export interface ProjectOptions extends Pick<OpenOptions, 'memoryLimit' | 'roomierLimits' | 'threads' | 'onCopy'> {
  /** Everything that fills tables: the warehouse gets their tables, and the sources are those that they read. */
  readonly declared: readonly Declared[];
  /** Network access and clock, where they are not the machine's own. */
  readonly outside?: Outside | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly log?: Log | undefined;
  /** How long to wait for another run to let go of the warehouse, in milliseconds. Default: not at all. */
  readonly waitMs?: number | undefined;
  /** Told once, with the sentence that names the holder. */
  readonly onWait?: ((sentence: string) => void) | undefined;
}

/** An opened configuration: its warehouse, its sources, and what is known of their network. */
export interface Project {
  readonly settings: Settings;
  /** Everything that fills its tables. */
  readonly declared: readonly Declared[];
  readonly warehouse: Warehouse;
  /** Opens the configured sources, with what the warehouse knows of their quotas. @param signal in place of the project's */
  openSources(signal?: AbortSignal): Promise<Sources>;
  /** What is known of the network without asking anyone. */
  knownNetwork(): Promise<NetworkFacts>;
  /** What is known of it after asking, and pinned by that. */
  askNetwork(planned: readonly PlannedStream[], fetch: Fetches): Promise<ResolvedNetwork>;
  /** Closes the warehouse; open sources stay open. */
  close(): void;
}

/**
 * Opens what a configuration names.
 *
 * @throws FirnError `locked` when another run still holds the warehouse after the wait · `newer_warehouse`, `disk`, `interrupted`
 */
export async function openProject(settings: Settings, options: ProjectOptions): Promise<Project> {
  const { declared, outside, signal, log, waitMs = 0, onWait, ...opening } = options;
  const sources = sourcesOf(declared);
  const lock = { waitMs, signal: signal ?? new AbortController().signal, onWait };
  const warehouse = await openWhenFree({ folder: settings.warehouse, tables: tablesOf(declared), ...opening }, lock);
  try {
    await keyOldRecords(warehouse, declared);
    await tellDropped(warehouse);
    await adoptMembers(warehouse, declared, {
      onMember: (stream, member) =>
        log?.warn(
          {},
          `${stream}: "${member}" is a column in this version of firn. Rows that were read before get it, too.`,
        ),
      check: () => throwIfAborted(signal),
    });
  } catch (error) {
    warehouse.close();
    throw error;
  }
  return {
    settings,
    declared,
    warehouse,
    openSources: (own = signal) => openSources({ settings, sources, outside, signal: own, log, warehouse }),
    knownNetwork: () => knownNetwork(warehouse, settings),
    askNetwork: (planned, fetch) =>
      resolveNetwork({ warehouse, settings, sources, evmNames: evmNames(planned), fetch }),
    close: () => warehouse.close(),
  };
}

/** The sources that streams read. */
export const sourcesOf = (declared: readonly Pick<Declared, 'source'>[]): readonly Source[] => [
  ...new Set(declared.map(({ source }) => source)),
];

/**
 * Opens the warehouse, waiting for its lock as long as is allowed.
 *
 * @throws FirnError `locked` when it is still held then · `interrupted` · as `openWarehouse` does
 */
export function openWhenFree(options: OpenOptions, lock: LockWait): Promise<Warehouse> {
  const open = () =>
    openWarehouse(options).catch((error: unknown) => {
      if (hasCode(error, 'locked')) return error;
      throw error;
    });
  return whenFree(open, lock);
}
