import { rm } from 'node:fs/promises';
import { FirnError } from '../../core/firnError.ts';
import { type Declared, tablesOf } from '../../core/stream/stream.ts';
import { openWarehouse } from '../../load/state/warehouse.ts';
import { clusterPart, type Settings } from '../../run/settings.ts';
import type { Engine, LakeTable, Ledger } from '../contract.ts';
import { lakeTables } from '../engine/lakeTables.ts';
import { openEngine } from '../engine/openEngine.ts';
import { keepPlace } from '../ledger/keepPlace.ts';
import { refuseOtherKeys } from '../ledger/refuseOtherKeys.ts';
import { type Cluster, openCluster } from '../openCluster.ts';
import { scratchFolder } from '../scratchFolder.ts';
import { type Builds, createBuilds } from './builds.ts';
import { type Carrier, fillWorkbench } from './ownTables.ts';
import { refuseRestored } from './refuseRestored.ts';

/** Everything that a command needs to build, reconcile and publish on the engine of a cluster. */
export interface Lake extends Carrier {
  readonly ledger: Ledger;
  readonly builds: Builds;
  /** Tables that streams and actions fill. */
  readonly tables: readonly LakeTable[];
  close(): Promise<void>;
}

/**
 * Opens what a configuration names, and a workbench below its warehouse folder, which is gone after. A catalog that is new is marked with the
 * warehouse's id.
 *
 * @throws FirnError `config` where ledger, stage and catalog belong to different warehouses · `newer_warehouse` as `refuseOtherKeys` says ·
 *   `unavailable`, `unauthorized`
 */
export async function openLake(settings: Settings, declared: readonly Declared[], signal: AbortSignal): Promise<Lake> {
  const folder = await scratchFolder(settings.warehouse, 'lake');
  const { control, ledger, stage } = await openCluster(settings);
  const closing: (() => unknown)[] = [() => control.close(), () => rm(folder, { recursive: true, force: true })];
  const close = async () => {
    for (const end of closing.reverse().splice(0)) await end();
  };
  try {
    const engine = openEngine(settings, stage, signal);
    closing.push(() => engine.close());
    await claimCatalog(engine, { control, ledger }, settings);
    await refuseOtherKeys(control, tablesOf(declared));
    const workbench = await openWarehouse({ folder, tables: tablesOf(declared), memoryLimit: '512MB', threads: 1 });
    closing.push(() => workbench.close());
    const carrier = { workbench, control, ledger, stage, engine };
    await fillWorkbench(carrier);
    return { ...carrier, builds: createBuilds(control), tables: lakeTables(declared), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Marks a catalog that is new with the id of a warehouse.
 *
 * @throws FirnError `config` where it is another's, is not that of other processes, or newer than the control database: what that reads again would be there twice
 */
export async function claimCatalog(
  engine: Engine,
  { control, ledger: { warehouse } }: Pick<Cluster, 'control'> & { readonly ledger: Pick<Ledger, 'warehouse'> },
  settings: Settings,
): Promise<void> {
  const { catalog, schema } = clusterPart(settings, 'engine');
  const claimed = await engine.claim(warehouse);
  if (claimed !== warehouse) throw otherCatalog(settings, claimed, warehouse);
  await keepPlace(control, 'lake', `${catalog}.${schema}`);
  await refuseRestored(engine, control, catalog);
}

/** The error of a catalog in which another warehouse has its tables. */
export const otherCatalog = ({ engine }: Pick<Settings, 'engine'>, claimed: string, own: string) =>
  new FirnError(
    'config',
    `The schemas ${engine?.schema}_* of the catalog ${engine?.catalog} belong to the warehouse ${claimed}, the control database to ${own}. ` +
      'Correct engine.catalog, engine.schema or control: nothing was read or written.',
  );
