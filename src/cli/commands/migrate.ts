import { migrateToCluster } from '../../cluster/migrate/migrateToCluster.ts';
import { openCluster } from '../../cluster/openCluster.ts';
import { tablesOf } from '../../core/stream.ts';
import { openWarehouse } from '../../load/warehouse.ts';
import { readConfigured } from '../configured.ts';
import { migrateDocument } from '../json/clusterDocuments.ts';
import type { RegisterCommand } from '../registerCommand.ts';

/** `firn migrate`: takes what one machine read over into a cluster, so that nothing is read again. */
export const migrateCommand: RegisterCommand = (program, act) => {
  program
    .command('migrate')
    .description("take the warehouse of one machine over into the configuration's cluster, which must be empty")
    .requiredOption('--to <where>', 'cluster', 'cluster')
    .action(
      act(async ({ global, console }) => {
        const { settings, registry } = await readConfigured(global);
        const catalogue = [...registry.catalogue, ...registry.actions];
        const cluster = await openCluster(settings);
        try {
          const warehouse = await openWarehouse({ folder: settings.warehouse, tables: tablesOf(catalogue) });
          try {
            const migrated = await migrateToCluster({ warehouse, cluster, catalogue }, ({ uri, rows }) =>
              console.note(`${uri}: ${rows} rows`),
            );
            console.data(migrateDocument, migrated);
            console.print(
              `${migrated.rows} rows in ${migrated.files} files and ${migrated.partitions} partitions were taken over. firn worker makes them part of ` +
                `the lake and reads on. Nothing was changed in ${settings.warehouse}: keep it until you trust the other.`,
            );
          } finally {
            warehouse.close();
          }
        } finally {
          await cluster.control.close();
        }
        return 0;
      }),
    );
};
