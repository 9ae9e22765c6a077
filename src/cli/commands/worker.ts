import { openEngine } from '../../cluster/engine/openEngine.ts';
import { openCluster } from '../../cluster/openCluster.ts';
import { openWorker } from '../../cluster/worker/openWorker.ts';
import { exitCode, worstExit } from '../../core/exitCode.ts';
import { FirnError } from '../../core/firnError.ts';
import { interruption } from '../../extract/interruption.ts';
import { readConfigured } from '../configured.ts';
import { workerDocument } from '../json/clusterDocuments.ts';
import { positiveInteger } from '../optionValues.ts';
import type { RegisterCommand } from '../registerCommand.ts';
import { partitionLine } from '../runLine.ts';

interface Options {
  readonly select?: string[];
  readonly pipeline?: string[];
  readonly atOnce: number;
  readonly untilIdle?: true;
  readonly apply: boolean;
}

/** `firn worker`: reads what the control database hands out, and applies what was read, on any number of machines. */
export const workerCommand: RegisterCommand = (program, act) => {
  program
    .command('worker')
    .description(
      'read for a cluster what its control database hands out, and apply what was read, on any number of machines, until it is stopped',
    )
    .option('-s, --select <stream...>', 'stream names and globs, such as node/*')
    .option('-p, --pipeline <name...>', 'pipelines of the configuration')
    .option('--at-once <n>', 'parts read at once', positiveInteger, 4)
    .option('--until-idle', 'end once everything that is due is claimed and everything read is applied')
    .option('--no-apply', 'read only, and leave it to other workers to apply what was read')
    .action(
      act(async ({ global, console, signal }, options: Options) => {
        const { settings, registry } = await readConfigured(global);
        const cluster = await openCluster(settings);
        const sums = { parts: 0, rows: 0, childRows: 0, quarantined: 0, applied: 0, failed: 0 };
        const engine = openEngine(settings, cluster.stage, signal);
        const codes: number[] = [];
        try {
          await openWorker({
            settings,
            catalogue: registry.catalogue,
            cluster,
            selection: {
              ...(options.select && { select: options.select }),
              ...(options.pipeline && { pipelines: options.pipeline }),
            },
            signal,
            log: console.log,
            untilIdle: options.untilIdle,
            atOnce: Math.max(1, options.atOnce),
            engine,
            readsOnly: !options.apply,
            applied: (inserted) => {
              for (const [table, rows] of inserted) {
                sums.applied += rows;
                console.note(`${table}: ${rows} rows applied`);
              }
            },
            finished: (
              { stream, partition, range },
              { rows, childRows, quarantined, seconds, outcome, code, message },
            ) => {
              sums.parts++;
              sums.rows += rows;
              sums.childRows += childRows;
              sums.quarantined += quarantined;
              // What another worker took over is read by that one.
              if (outcome === 'failed' && code !== 'locked') {
                sums.failed++;
                if (code) codes.push(exitCode(new FirnError(code, '')));
              }
              const what = range ? `${range.first}..${range.last}: ` : '';
              const said =
                message ??
                (rows + childRows > 0
                  ? `${rows} rows and ${childRows} child rows in ${seconds.toFixed(1)} s`
                  : undefined);
              if (said !== undefined) console.note(partitionLine(new Map([[stream, [partition]]]), what + said));
            },
          });
        } finally {
          await engine.close();
          await cluster.control.close();
        }
        console.data(workerDocument, sums);
        if (signal.aborted) throw interruption(signal);
        return worstExit([...codes, ...(sums.quarantined > 0 ? [exitCode(new FirnError('quarantined', ''))] : [])]);
      }),
    );
};
