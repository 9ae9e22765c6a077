import { dirname, join, resolve } from 'node:path';
import { Option } from 'commander';
import { shellWord } from '../../core/shellWord.ts';
import { mainFile } from '../../load/packageFiles.ts';
import { type ScheduledPipeline, scheduledPipelines } from '../../run/plan/schedulePipelines.ts';
import { readConfig } from '../config.ts';
import { readConfigured } from '../configured.ts';
import { scheduleDocument } from '../json/otherDocuments.ts';
import type { RegisterCommand } from '../registerCommand.ts';
import { runSchedule } from '../runSchedule.ts';
import { systemdUnits } from '../systemdUnits.ts';

/** `firn schedule`: a process that runs the pipelines at their times, or lines for one that does. */
export const scheduleCommand: RegisterCommand = (program, act) => {
  program
    .command('schedule')
    .description('run the pipelines at their times (UTC) until Ctrl-C')
    .addOption(new Option('--print <kind>', 'print lines to paste instead').choices(['cron', 'systemd']))
    .action(
      act(async (context, options: { print?: 'cron' | 'systemd' }) => {
        if (!options.print) return runSchedule(context, await readConfigured(context.global));
        const pipelines = scheduledPipelines(readConfig(context.global));
        const config = resolve(context.global.config);
        const lines = pipelines.map((pipeline) =>
          options.print === 'cron' ? cronLine(pipeline, config) : systemdText(pipeline, config),
        );
        if (options.print === 'cron') context.console.print(cronHead);
        context.console.print(lines.join('\n'));
        context.console.data(scheduleDocument, { pipelines });
        return 0;
      }),
    );
};

/** Debian's cron takes `CRON_TZ` for one more variable of the environment. */
const cronHead = `# Times are UTC for a cron that knows CRON_TZ. That of Debian and Ubuntu does not: there they are in the machine's time zone.
CRON_TZ=UTC`;

function cronLine(pipeline: ScheduledPipeline, config: string): string {
  const words = [...startCommand(), '--quiet', '--config', config, 'run', '--pipeline', pipeline.name];
  const log = join(dirname(config), 'firn.log');
  return `${pipeline.expression} ${words.map(cronWord).join(' ')} >> ${cronWord(log)} 2>&1`;
}

/** A word of a crontab's shell. A per cent sign would end the command, quoted or not. */
const cronWord = (text: string) => shellWord(text).replaceAll('%', '\\%');

function systemdText(pipeline: ScheduledPipeline, config: string): string {
  const { name, service, timer } = systemdUnits(pipeline, config, startCommand());
  const folder = '~/.config/systemd/user';
  return [
    `# ${folder}/${name}.service`,
    service,
    `# ${folder}/${name}.timer`,
    timer,
    `# systemctl --user enable --now ${name}.timer`,
  ].join('\n');
}

/** Starts the firn that is running now, whatever is on the PATH of cron or systemd: Node and the command line by their absolute paths. */
const startCommand = (): readonly string[] => [process.execPath, mainFile()];
