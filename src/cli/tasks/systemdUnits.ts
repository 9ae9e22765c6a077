import { eitherDay } from '../../core/input/isCronExpression.ts';
import type { ScheduledPipeline } from '../../run/plan/schedulePipelines.ts';

/** The two systemd units that run a pipeline at its times, for a user's own service manager. */
export interface SystemdUnits {
  readonly name: string;
  readonly service: string;
  readonly timer: string;
}

/**
 * @param folder where the configuration lies
 * @param command what runs the pipeline
 */
export function systemdUnits(
  { name, expression }: ScheduledPipeline,
  folder: string,
  command: readonly string[],
): SystemdUnits {
  const service = [
    '[Unit]',
    `Description=firn, pipeline ${escaped(name)}`,
    '',
    '[Service]',
    'Type=oneshot',
    `WorkingDirectory=${escaped(folder)}`,
    '# NAME=value lines for what the configuration takes from the environment',
    `EnvironmentFile=-${escaped(folder)}/firn.env`,
    `ExecStart=${command.map(word).join(' ')}`,
    '# 75: locked, rate-limited or down; the next time tries again. 143: stopped by systemctl',
    'SuccessExitStatus=75 143',
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
  // A unit is a file, and after an @ systemd reads an instance.
  return { name: `firn-${name.replaceAll(/[^\w.:-]+/g, '-')}`, service: service.join('\n'), timer: timer.join('\n') };
}

/** A per cent sign begins a specifier in a unit. */
const escaped = (text: string) => text.replaceAll('%', '%%');

/** A word of a command: in quotes where it is more than a path, without variables. */
const word = (text: string) => {
  const plain = escaped(text).replaceAll('$', '$$$$');
  return /^[\w./%=:@+-]+$/.test(plain) ? plain : `"${plain.replace(/[\\"]/g, '\\$&')}"`;
};

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** A five-field cron expression as systemd writes it, in UTC. */
export const onCalendar = (expression: string): string[] =>
  eitherDay(expression).map((one) => {
    const [minute = '*', hour = '*', day = '*', month = '*', weekday = '*'] = one.trim().split(/\s+/);
    const numbered = month.replaceAll(/[a-z]+/gi, (name) => String(months.indexOf(short(name)) + 1));
    const date = `*-${withoutSteps(numbered, 1, 12)}-${withoutSteps(day, 1, 31)}`;
    const days = weekday === '*' ? '' : `${weekdayList(weekday)} `;
    return `${days}${date} ${withoutSteps(hour, 0, 23)}:${withoutSteps(minute, 0, 59)}:00 UTC`;
  });

/** Names as they begin. */
const short = (name: string) => name.slice(0, 3).toLowerCase();

/** Of steps each number: systemd refuses those as wide as the field, and passes over the first after some that do not divide it. */
const withoutSteps = (field: string, lowest: number, highest: number): string =>
  field.includes('/') ? numbersOf(field, lowest, highest).join(',') : field.replaceAll('-', '..');

/** The numbers that a field stands for. @param numberOf what a word of it stands for */
function numbersOf(
  field: string,
  lowest: number,
  highest: number,
  numberOf: (word: string) => number = Number,
): number[] {
  return field.split(',').flatMap((item) => {
    const [range = '', step = '1'] = item.split('/');
    const [from = lowest, to = from] = range === '*' ? [lowest, highest] : range.split('-').map(numberOf);
    return Array.from({ length: Math.floor((to - from) / Number(step)) + 1 }, (_, i) => from + i * Number(step));
  });
}

/** Days one by one: systemd knows no range that begins with Sunday; one that ends with it ends with 7. */
function weekdayList(field: string): string {
  const numberOf = (day: string) =>
    /^\d/.test(day) ? Number(day) : weekdays.findIndex((name) => short(name) === short(day));
  const days = numbersOf(field, 0, 6, numberOf).map((day) => weekdays[day % 7]);
  return [...new Set(days)].join(',');
}
