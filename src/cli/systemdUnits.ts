import { dirname } from 'node:path';
import type { ScheduledPipeline } from '../run/plan/schedulePipelines.ts';

/** The two systemd units that run a pipeline at its times, for a user's own service manager. */
export interface SystemdUnits {
  readonly name: string;
  readonly service: string;
  readonly timer: string;
}

/** @param config absolute path of the configuration */
export function systemdUnits({ name, expression }: ScheduledPipeline, config: string): SystemdUnits {
  const folder = dirname(config);
  const service = [
    '[Unit]',
    `Description=firn, pipeline ${escaped(name)}`,
    '',
    '[Service]',
    'Type=oneshot',
    `WorkingDirectory=${escaped(folder)}`,
    '# NAME=value lines for what the configuration takes from the environment',
    `EnvironmentFile=-${escaped(folder)}/firn.env`,
    `ExecStart=/usr/bin/env firn --quiet --config "${escaped(config)}" run --pipeline "${escaped(name)}"`,
    '# 75: locked, rate-limited or down; the next time tries again',
    'SuccessExitStatus=75',
    '# what was read is committed before it ends',
    'TimeoutStopSec=5min',
    '',
  ];
  const timer = [
    '[Unit]',
    `Description=firn, pipeline ${escaped(name)}, ${expression} UTC`,
    '',
    '[Timer]',
    ...onCalendar(expression).map((times) => `OnCalendar=${times}`),
    'Persistent=true',
    '',
    '[Install]',
    'WantedBy=timers.target',
    '',
  ];
  return { name: `firn-${name}`, service: service.join('\n'), timer: timer.join('\n') };
}

/** A per cent sign begins a specifier in a unit. */
const escaped = (text: string) => text.replaceAll('%', '%%');

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** A five-field cron expression as systemd writes it, in UTC: two where days of the month or of the week count, which systemd would join. */
export function onCalendar(expression: string): string[] {
  const [minute = '*', hour = '*', day = '*', month = '*', weekday = '*'] = expression.trim().split(/\s+/).slice(-5);
  const step = (field: string, first: string) => field.replace(/^\*\/(\d+)$/, `${first}/$1`).replaceAll('-', '..');
  const at = (ofMonth: string) =>
    `*-${step(month, '1')}-${step(ofMonth, '1')} ${step(hour, '0')}:${step(minute, '0')}:00 UTC`;
  if (weekday === '*') return [at(day)];
  const weekly = `${weekdayList(weekday)} ${at('*')}`;
  return day === '*' ? [weekly] : [at(day), weekly];
}

function weekdayList(field: string): string {
  const [, every] = /^\*\/(\d+)$/.exec(field) ?? [];
  if (every !== undefined)
    return weekdays
      .slice(0, 7)
      .filter((_, i) => i % Number(every) === 0)
      .join(',');
  return field.replace(/\d/g, (digit) => weekdays[Number(digit)] ?? digit).replaceAll('-', '..');
}
