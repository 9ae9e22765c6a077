import type { Command } from 'commander';
import { clusterFolder, clusterStatus, startCluster, stopCluster } from '../../cluster/local/localCluster.ts';
import { environment } from '../config.ts';
import { clusterDocument } from '../json/clusterDocuments.ts';
import { port } from '../optionValues.ts';
import type { CliContext, RegisterCommand } from '../registerCommand.ts';

interface Options {
  readonly folder: string;
  readonly port: number;
  readonly remove?: boolean;
}

/** `firn cluster`: PostgreSQL, a bucket and Trino on this machine, to try what a cluster does. */
export const clusterCommand: RegisterCommand = (program, act) => {
  const cluster = program
    .command('cluster')
    .description('PostgreSQL, a bucket and Trino on this machine, to try models on them');
  const withOptions = (command: Command) =>
    command
      .option('--folder <folder>', 'where programs, data and logs are kept', clusterFolder())
      .option('--port <number>', 'first of five ports: Trino, its two workers, the bucket, PostgreSQL', port, 18080);
  const startOptions = ({ folder, port: first }: Options, { console }: CliContext) => ({
    folder,
    port: first,
    javaHome: environment['JAVA_HOME'],
    print: console.print,
  });
  withOptions(cluster.command('up'))
    .description('start it; programs are fetched from their registries once')
    .action(
      act(async (context, options: Options) => {
        const { trino, control, bucket } = await startCluster(startOptions(options, context));
        context.console.print(
          `Trino: ${trino} (catalog lake)\nPostgreSQL: ${control}\nBucket: ${bucket.url}/${bucket.name}`,
        );
        context.console.data(clusterDocument, { parts: await clusterStatus(startOptions(options, context)) });
        return 0;
      }),
    );
  withOptions(cluster.command('down'))
    .description('stop what `up` started')
    .option('--remove', 'remove its data too; programs stay')
    .action(
      act(async (context, options: Options) => {
        const stopped = await stopCluster(startOptions(options, context), options.remove === true);
        context.console.print(
          stopped.length > 0 ? `Ended: ${stopped.join(', ')}.` : 'No part of the cluster is running.',
        );
        context.console.data(clusterDocument, { parts: await clusterStatus(startOptions(options, context)) });
        return 0;
      }),
    );
  withOptions(cluster.command('status'))
    .description('show which of its parts are running')
    .action(
      act(async (context, options: Options) => {
        const parts = await clusterStatus(startOptions(options, context));
        for (const { name, pid, ready } of parts) {
          context.console.print(
            `${name}: ${pid === null ? 'not running' : `process ${pid}, ${ready ? 'ready' : 'starting'}`}`,
          );
        }
        context.console.data(clusterDocument, { parts });
        return parts.every(({ ready }) => ready) ? 0 : 1;
      }),
    );
};
