import { catalogue } from '../../../pipelines/index.ts';
import { type Phase, phases, runPhases } from '../../run/runPhases.ts';
import { readConfig } from '../config.ts';
import type { CliContext, RegisterCommand } from '../runCli.ts';
import { runSummary } from '../runSummary.ts';
import { syncProgress } from '../syncProgress.ts';

interface Options {
  readonly select?: string[];
  readonly pipeline?: string[];
}

const command =
  (name: string, description: string, chosen: readonly Phase[]): RegisterCommand =>
  (program, act) => {
    const made = program.command(name).description(description);
    if (chosen.includes('sync')) {
      made.option('-s, --select <stream...>', 'stream names and globs, such as node/*');
      made.option('-p, --pipeline <name...>', 'pipelines of the configuration');
    }
    made.action(act((context, options: Options) => runChosen(context, chosen, options)));
  };

async function runChosen(
  { global, console, signal }: CliContext,
  chosen: readonly Phase[],
  options: Options,
): Promise<number> {
  const settings = readConfig(global);
  const report = await runPhases({
    settings,
    catalogue,
    phases: chosen,
    selection: {
      ...(options.select && { select: options.select }),
      ...(options.pipeline && { pipelines: options.pipeline }),
    },
    signal,
    log: console.log,
    listener: syncProgress(console),
  });
  console.bar.clear();
  console.data(report);
  console.print(runSummary(report));
  return report.exitCode;
}

/** The phases of the pipeline, each alone, and all of them. */
export const phaseCommands: readonly RegisterCommand[] = [
  command('run', 'sync, build, reconcile, publish: what cron calls', phases),
  command('sync', 'read what is new from the sources', ['sync']),
  command('build', 'build the models and check the audits', ['build']),
  command('reconcile', 'compare recomputed with served metrics', ['reconcile']),
  command('publish', 'make a new version visible to readers', ['publish']),
];
