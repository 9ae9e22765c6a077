import { Option } from 'commander';
import { lakeTables } from '../../cluster/engine/lakeTables.ts';
import { claimCatalog } from '../../cluster/lake/openLake.ts';
import { refuseOtherKeys } from '../../cluster/ledger/refuseOtherKeys.ts';
import { migrateToCluster } from '../../cluster/migrate/migrateToCluster.ts';
import { migrateToMachine } from '../../cluster/migrate/migrateToMachine.ts';
import { withCluster } from '../../cluster/withCluster.ts';
import { tablesOf } from '../../core/stream/stream.ts';
import { openWarehouse } from '../../load/state/warehouse.ts';
import { refuseLost } from '../../publish/restored/lostState.ts';
import { readModels } from '../../transform/models/readModels.ts';
import { readConfigured } from '../config/configured.ts';
import { migrateDocument } from '../json/clusterDocuments.ts';
import type { RegisterCommand } from '../registerCommand.ts';

/** `firn migrate`: takes what one machine read over into a cluster, or what a cluster read to one machine, so that nothing is read again. */
export const migrateCommand: RegisterCommand = (program, act) => {
  program
    .command('migrate')
    .description(
      "move the warehouse of this machine into the configured cluster, or the cluster's tables back into a warehouse; the target must be empty",
    )
    .addOption(new Option('--to <where>', 'where to').choices(['cluster', 'machine']).makeOptionMandatory())
    .action(
      act(async ({ global, console, signal }, { to }: { to: 'cluster' | 'machine' }) => {
        const { settings, registry } = await readConfigured(global);
        if (to === 'cluster') await refuseLost(settings.warehouse);
        const { models = await readModels() } = registry;
        const catalogue = [...registry.catalogue, ...registry.actions];
        return withCluster(settings, signal, async (cluster, engine) => {
          await claimCatalog(engine, cluster, settings);
          const tables = tablesOf(catalogue);
          await refuseOtherKeys(cluster.control, tables);
          const warehouse = await openWarehouse({ folder: settings.warehouse, tables });
          const note = (of: string, rows: number) => console.note(`${of}: ${rows} rows`);
          try {
            const both = { warehouse, cluster, engine, models };
            const migrated =
              to === 'cluster'
                ? await migrateToCluster({ ...both, catalogue }, ({ uri, rows }) => note(uri, rows))
                : await migrateToMachine({ ...both, tables: lakeTables(catalogue) }, note);
            console.data(migrateDocument, migrated);
            const { rows, files, partitions } = migrated;
            console.print(
              `${rows} rows in ${files} files and ${partitions} partitions were taken over. ${goesOn[to](settings.warehouse)}`,
            );
            return 0;
          } finally {
            warehouse.close();
          }
        });
      }),
    );
};

/** What goes on with what was taken over, and what stays. */
const goesOn: Readonly<Record<'cluster' | 'machine', (warehouse: string) => string>> = {
  cluster: (warehouse) =>
    `firn worker makes them part of the lake and reads on. Nothing was changed in ${warehouse}: keep it until you trust the other.`,
  machine: (warehouse) =>
    `Take control, stage and engine out of the configuration, and firn run builds and reads on in ${warehouse}. Nothing was changed in the cluster.`,
};
