import { dirname, join, resolve } from 'node:path';
import { Option } from 'commander';
import { FirnError } from '../../core/firnError.ts';
import { shellWord } from '../../core/text/shellWord.ts';
import { mainFile } from '../../load/packageFiles.ts';
import { neverRun, type ScheduledPipeline, scheduledPipelines } from '../../run/plan/schedulePipelines.ts';
import { readConfig } from '../config/config.ts';
import { scheduleDocument } from '../json/otherDocuments.ts';
import type { RegisterCommand } from '../registerCommand.ts';
import { runSchedule } from '../runs/runSchedule.ts';
import { systemdUnits } from '../tasks/systemdUnits.ts';
import type { GlobalOptions } from '../terminal/console.ts';

/** `firn schedule`: a process that runs the pipelines at their times, or lines for one that does. */
export const scheduleCommand: RegisterCommand = (program, act) => {
  program
    .command('schedule')
    .description('run the pipelines at their times (UTC) until Ctrl-C')
    .addOption(new Option('--print <kind>', 'print lines to paste instead').choices(['cron', 'systemd']))
    .action(
      act(async (context, options: { print?: 'cron' | 'systemd' }) => {
        if (!options.print) return runSchedule(context);
        const settings = readConfig(context.global);
        const pipelines = scheduledPipelines(settings);
        for (const sentence of neverRun(pipelines)) context.console.note(sentence);
        const folder = dirname(resolve(context.global.config));
        // One that is seldom run would be locked out each time by another that has begun a moment before.
        const wait = pipelines.length > 1 ? ['--wait', '10m'] : [];
        const lines = pipelines.map((pipeline) => {
          // On a cluster workers read, and a run builds what all pipelines brought.
          const which = settings.engine ? [] : ['--pipeline', pipeline.name, ...wait];
          const command = [...firnAs(context.global), 'run', ...which];
          refuseLineBreak([folder, ...command]);
          return options.print === 'cron'
            ? cronLine(pipeline, folder, command)
            : systemdText(pipeline, folder, command);
        });
        if (options.print === 'cron') context.console.print(cronHead);
        context.console.print(lines.join('\n'));
        context.console.data(scheduleDocument, { pipelines });
        return 0;
      }),
    );
};

/** @throws FirnError `config`: what follows a line break would be a line of its own, with another command */
function refuseLineBreak(words: readonly string[]): void {
  const broken = words.find((word) => /[\n\r]/.test(word));
  if (broken !== undefined)
    throw new FirnError(
      'config',
      `${JSON.stringify(broken)} has a line break, which no line for cron or systemd can hold. Give that folder, file or pipeline another name.`,
    );
}

/** Debian's cron takes `CRON_TZ` for one more variable of the environment. */
const cronHead = `# Times are UTC for a cron that knows CRON_TZ. That of Debian and Ubuntu does not: there they are in the machine's time zone.
CRON_TZ=UTC`;

const cronLine = ({ expression }: ScheduledPipeline, folder: string, command: readonly string[]): string =>
  `${expression} ${command.map(cronWord).join(' ')} >> ${cronWord(join(folder, 'firn.log'))} 2>&1`;

/** A word of a crontab's shell. A per cent sign would end the command, quoted or not. */
const cronWord = (text: string) => shellWord(text).replaceAll('%', '\\%');

function systemdText(pipeline: ScheduledPipeline, folder: string, command: readonly string[]): string {
  const { name, service, timer } = systemdUnits(pipeline, folder, command);
  const units = '~/.config/systemd/user';
  return [
    `# ${units}/${name}.service`,
    service,
    `# ${units}/${name}.timer`,
    timer,
    `# systemctl --user enable --now ${name}.timer`,
    '# loginctl enable-linger    (otherwise it stops when you log out)',
  ].join('\n');
}

/** The firn that is running now, whatever is on the PATH of cron or systemd: Node, the command line and files by their absolute paths. */
const firnAs = ({ config, warehouse }: GlobalOptions): readonly string[] => [
  process.execPath,
  mainFile(),
  ...['--quiet', '--config', resolve(config)],
  ...(warehouse === undefined ? [] : ['--warehouse', resolve(warehouse)]),
];
