import { readConfigured } from '../config/configured.ts';
import { count } from '../options/optionValues.ts';
import { selectionOptions } from '../options/runOptions.ts';
import type { RegisterCommand } from '../registerCommand.ts';
import { runClusterWorker } from '../runs/runClusterWorker.ts';

interface Options {
  readonly select?: string[];
  readonly pipeline?: string[];
  readonly atOnce: number;
  readonly untilIdle?: true;
  readonly apply: boolean;
}

/** `firn worker`: reads what the control database hands out, and applies what was read, on any number of machines. */
export const workerCommand: RegisterCommand = (program, act) => {
  selectionOptions(
    program
      .command('worker')
      .description(
        'read for a cluster what its control database assigns, and apply what was read, on any number of machines, until it is stopped',
      ),
  )
    .option('--at-once <n>', 'parts read at once', count, 4)
    .option('--until-idle', 'end once everything that was due was checked and everything read is applied')
    .option('--no-apply', 'only read, and leave applying to other workers')
    .action(
      act(async (context, { select, pipeline, atOnce, untilIdle, apply }: Options) =>
        runClusterWorker(context, await readConfigured(context.global), {
          selection: { select, pipelines: pipeline },
          untilIdle,
          atOnce,
          readsOnly: !apply,
        }),
      ),
    );
};
