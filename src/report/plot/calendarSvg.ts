import { type Html, html } from '../html.ts';
import { type CoverageDay, type CoverageLevel, coverageLevels } from '../reportData.ts';

const dayMs = 86_400_000;
const cell = 11;
const pitch = 13;
const left = 28;
const top = 16;

/** One column a week from Monday, one square a day; months are named above. Days that are not held at all stay empty. */
export function calendarSvg(days: readonly CoverageDay[], label: string): Html {
  const first = days[0]?.day ?? 0;
  const begin = first - weekday(first) * dayMs;
  const columns = Math.floor(((days.at(-1)?.day ?? first) - begin) / (7 * dayMs)) + 1;
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
  const wide = left + columns * pitch;
  return html`<svg class="cal" viewBox="0 0 ${wide} ${top + 7 * pitch}" width="${wide}" height="${top + 7 * pitch}" role="img" aria-label="${label}">
${months(days, (day) => at(day).x, wide).map(({ x, name }) => html`<text x="${x}" y="11">${name}</text>`)}${[
  'Mon',
  'Wed',
  'Fri',
].map(
  (name, index) => html`<text x="0" y="${top + index * 2 * pitch + 9}">${name}</text>`,
)}${coverageLevels.map((level) => html`<path class="l ${level}" d="${squares(level)}"/>`)}${open.map(
  ({ x, y }) => html`<rect class="open" x="${x + 0.75}" y="${y + 0.75}" width="${cell - 1.5}" height="${cell - 1.5}"/>`,
)}</svg>`;
}

/** Day of the week from Monday = 0. */
const weekday = (day: number): number => (new Date(day).getUTCDay() + 6) % 7;

const names = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Names of months above the week in which they begin, where there is room for them. */
function months(days: readonly CoverageDay[], x: (day: number) => number, wide: number): { x: number; name: string }[] {
  const found: { x: number; name: string }[] = [];
  for (const [index, { day }] of days.entries()) {
    const date = new Date(day);
    if (index > 0 && date.getUTCDate() !== 1) continue;
    const month = date.getUTCMonth();
    const name = index === 0 || month === 0 ? `${names[month]} ${date.getUTCFullYear()}` : (names[month] ?? '');
    const place = x(day);
    const previous = found.at(-1);
    if (previous && place < previous.x + previous.name.length * 6 + 6) continue;
    if (place + name.length * 6 > wide && index > 0) continue;
    found.push({ x: place, name });
  }
  return found;
}
