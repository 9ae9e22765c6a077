import { dirname, resolve } from 'node:path';
import { Option } from 'commander';
import { type ScheduledPipeline, scheduledPipelines } from '../../run/plan/schedulePipelines.ts';
import { readConfig } from '../config.ts';
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
        const settings = readConfig(context.global);
        if (!options.print) return runSchedule(context, settings);
        const pipelines = scheduledPipelines(settings);
        const config = resolve(context.global.config);
        const lines = pipelines.map((pipeline) =>
          options.print === 'cron' ? cronLine(pipeline, config) : systemdText(pipeline, config),
        );
        context.console.print(lines.join('\n'));
        context.console.data(scheduleDocument, { pipelines });
        return 0;
      }),
    );
};

const command = ({ name }: ScheduledPipeline, config: string) =>
  `firn --quiet --config '${config}' run --pipeline '${name}'`;

function cronLine(pipeline: ScheduledPipeline, config: string): string {
  const folder = dirname(config);
  return `CRON_TZ=UTC\n${pipeline.expression} cd '${folder}' && ${command(pipeline, config)} >> '${folder}/firn.log' 2>&1`;
}

function systemdText(pipeline: ScheduledPipeline, config: string): string {
  const { name, service, timer } = systemdUnits(pipeline, config);
  const folder = '~/.config/systemd/user';
  return [
    `# ${folder}/${name}.service`,
    service,
    `# ${folder}/${name}.timer`,
    timer,
    `# systemctl --user enable --now ${name}.timer`,
  ].join('\n');
}
