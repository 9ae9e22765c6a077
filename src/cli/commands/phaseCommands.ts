import { type Phase, phases } from '../../run/records/runReport.ts';
import { limitOptions, selectionOptions, waitOption } from '../options/runOptions.ts';
import type { RegisterCommand } from '../registerCommand.ts';
import { type Chosen, runChosen } from '../runs/runChosen.ts';

const command =
  (name: string, description: string, chosen: readonly Phase[]): RegisterCommand =>
  (program, act) => {
    const made = program.command(name).description(description);
    if (chosen.includes('sync')) {
      selectionOptions(made);
      limitOptions(made);
    }
    if (name === 'build')
      made.option('--full-refresh', 'build every model from scratch, and have every audit look at all');
    if (chosen.includes('publish'))
      made.option('--repair', 'also hash the files that are kept, and rewrite damaged ones');
    waitOption(made);
    made.action(act((context, options: Chosen) => runChosen(context, chosen, options)));
  };

/** The phases of the pipeline that take no words of their own, and all of them in one. */
export const phaseCommands = {
  run: command('run', 'sync, build, reconcile, publish: what cron calls', phases),
  sync: command('sync', 'read what is new from the sources', ['sync']),
  build: command('build', 'build the models and check the audits', ['build']),
  publish: command('publish', 'make a new version visible to readers', ['publish']),
} satisfies Record<string, RegisterCommand>;
