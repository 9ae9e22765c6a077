import { type Html, html } from '../markup/html.ts';
import { type CoverageDay, type CoverageLevel, coverageLevels } from '../reportData.ts';
import { dayMs } from '../texts/timeText.ts';

const left = 32;
const top = 18;
/** More weeks than this are drawn smaller, so that a year has room on half a page. */
const manyWeeks = 30;

/**
 * Days of one year: one column a week from Monday, one square a day; months are named above. Days that are not held at all
 * stay empty.
 */
export function calendarSvg(days: readonly CoverageDay[], label: string): Html {
  const first = days[0]?.day ?? 0;
  const begin = first - weekday(first) * dayMs;
  const columns = Math.floor(((days.at(-1)?.day ?? first) - begin) / (7 * dayMs)) + 1;
  const [cell, pitch] = columns > manyWeeks ? [9, 10.5] : [14, 16];
  const at = (day: number) => ({
    x: left + Math.floor((day - begin) / (7 * dayMs)) * pitch,
    y: top + weekday(day) * pitch,
  });
  // One path a level keeps years of squares small.
  const squares = (level: CoverageLevel) =>
    days
      .filter((day) => day.level === level)
      .map(({ day }) => `M${at(day).x} ${at(day).y}h${cell}v${cell}h-${cell}z`)
      .join('');
  const open = days.filter((day) => day.open).map(({ day }) => at(day));
  const wide = left + Math.max(2, columns) * pitch + 10;
  return html`<svg class="cal" viewBox="0 0 ${wide} ${top + 7 * pitch}" width="${wide}" height="${top + 7 * pitch}" role="img" aria-label="${label}">
<text class="year" x="0" y="12">${new Date(first).getUTCFullYear()}</text>${months(days, (day) => at(day).x).map(({ x, name }) => html`<text x="${x}" y="12">${name}</text>`)}${[
    'Mon',
    'Wed',
    'Fri',
  ].map(
    (name, index) => html`<text x="0" y="${top + index * 2 * pitch + cell - 1}">${name}</text>`,
  )}${coverageLevels.map((level) => html`<path class="l ${level}" d="${squares(level)}"/>`)}${open.map(
    ({ x, y }) =>
      html`<rect class="open" x="${x + 0.75}" y="${y + 0.75}" width="${cell - 1.5}" height="${cell - 1.5}"/>`,
  )}</svg>`;
}

/** Day of the week from Monday = 0. */
const weekday = (day: number): number => (new Date(day).getUTCDay() + 6) % 7;

const names = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Names of months above their first whole week. */
function months(days: readonly CoverageDay[], x: (day: number) => number): { x: number; name: string }[] {
  const found: { x: number; name: string }[] = [];
  for (const [index, { day }] of days.entries()) {
    const beginsHere = weekday(day) === 0 && new Date(day).getUTCDate() <= 7;
    if (index > 0 && !beginsHere) continue;
    const previous = found.at(-1);
    if (previous && x(day) < previous.x + 24) continue;
    found.push({ x: x(day), name: names[new Date(day).getUTCMonth()] ?? '' });
  }
  return found;
}
