import { dirname, resolve } from 'node:path';
import { Option } from 'commander';
import { type ScheduledPipeline, scheduledPipelines } from '../../run/schedulePipelines.ts';
import { readConfig } from '../config.ts';
import type { RegisterCommand } from '../runCli.ts';
import { runSchedule } from '../runSchedule.ts';

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
          options.print === 'cron' ? cronLine(pipeline, config) : systemdUnits(pipeline, config),
        );
        context.console.print(lines.join('\n'));
        context.console.data(pipelines);
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

function systemdUnits(pipeline: ScheduledPipeline, config: string): string {
  return [
    `# ~/.config/systemd/user/firn-${pipeline.name}.service`,
    '[Service]',
    'Type=oneshot',
    `WorkingDirectory=${dirname(config)}`,
    `ExecStart=/usr/bin/env ${command(pipeline, config)}`,
    '# 75: locked, rate-limited or down; the next time tries again',
    'SuccessExitStatus=75',
    '',
    `# ~/.config/systemd/user/firn-${pipeline.name}.timer`,
    '[Timer]',
    `OnCalendar=${onCalendar(pipeline.expression)}`,
    'Persistent=true',
    '',
    '[Install]',
    'WantedBy=timers.target',
    '',
    `# systemctl --user enable --now firn-${pipeline.name}.timer`,
  ].join('\n');
}

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** A five-field cron expression as systemd writes it, in UTC. */
export function onCalendar(expression: string): string {
  const fields = expression.trim().split(/\s+/);
  const [minute = '*', hour = '*', day = '*', month = '*', weekday = '*'] = fields.slice(-5);
  const step = (field: string, first: string) => field.replace(/^\*\/(\d+)$/, `${first}/$1`).replaceAll('-', '..');
  const days =
    weekday === '*'
      ? ''
      : `${weekday.replace(/\d/g, (digit) => weekdays[Number(digit)] ?? digit).replaceAll('-', '..')} `;
  return `${days}*-${step(month, '1')}-${step(day, '1')} ${step(hour, '0')}:${step(minute, '0')}:00 UTC`;
}
