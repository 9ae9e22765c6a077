import { type Html, html } from '../markup/html.ts';
import { wide } from '../markup/wide.ts';
import { type CoverageDay, type CoverageLevel, coverageLevels } from '../reportData.ts';
import { countText, plural } from '../texts/numberText.ts';
import { dayText } from '../texts/timeText.ts';
import { anchor, type View } from '../view.ts';
import { calendarSvg } from './calendarSvg.ts';

const words: Readonly<Record<CoverageLevel, string>> = {
  traces: 'everything: blocks, receipts, logs, traces',
  receipts: 'no traces: contracts and deployers are not claimed',
  blocks: 'blocks only',
  holes: 'blocks are missing',
};

/** What is held of every day, proved by heights, parent hashes, receipts and gas. */
export function coverageSection(view: View): Html {
  const chains = [...new Set(view.data.coverage.map(({ chainId }) => chainId))];
  if (chains.length === 0)
    return html`<section id="coverage" aria-labelledby="h-coverage"><h2 id="h-coverage">Coverage</h2><p class="empty">No blocks of an EVM chain are held yet.</p></section>`;
  return html`<section id="coverage" aria-labelledby="h-coverage"><h2 id="h-coverage">Coverage <small>days, UTC</small></h2>
<p class="key">${coverageLevels.map((level) => html`<span class="k l ${level}">${words[level]}</span> `)}<span class="k open">still open</span></p>
<div class="calendars">${chains.slice(0, view.limits.matrices).map((chain) => calendar(view, chain))}</div>
${chains.length > view.limits.matrices && html`<p class="note">${plural(chains.length - view.limits.matrices, 'more chain')} not shown.</p>`}</section>`;
}

function calendar(view: View, chain: string): Html {
  const all = view.data.coverage.filter(({ chainId }) => chainId === chain);
  const days = all.slice(-view.limits.coverageDays);
  const stretches = stretchesOf(days);
  const shown = stretches.slice(-view.limits.rows);
  const yearOf = ({ day }: CoverageDay) => new Date(day).getUTCFullYear();
  const years = [...new Set(days.map(yearOf))].map((year) => days.filter((day) => yearOf(day) === year));
  const name = view.chainName(chain);
  return html`<section aria-labelledby="${anchor('c', chain)}"><h3 id="${anchor('c', chain)}">${name}</h3>${days.length < all.length && html`<p class="note">The newest ${plural(days.length, 'day')} of ${countText(all.length)}.</p>`}
<div class="wide years" tabindex="0" role="region" aria-label="Calendar of ${name}">${years.map((year) => calendarSvg(year, `Coverage of ${name}: ${wordsOf(year)}`))}</div>
<details><summary>Table of coverage</summary><div ${wide(`Coverage of ${name}`)}><table><caption>Stretches of days that are held alike${shown.length < stretches.length && `: the newest ${countText(shown.length)} of ${countText(stretches.length)}`}</caption><thead><tr><th scope="col">days<th scope="col">held<th scope="col" class="n">days<th scope="col" class="n">blocks<th scope="col" class="n">transactions</thead><tbody>${shown.map(
    ({ first, last, level, days: count, blocks, transactions }) =>
      html`<tr><th scope="row">${dayText(first)}${last > first && ` – ${dayText(last)}`}<td>${words[level]}<td class="n">${countText(count)}<td class="n">${countText(blocks)}<td class="n">${countText(transactions)}`,
  )}</tbody></table></div></details></section>`;
}

const wordsOf = (days: readonly CoverageDay[]): string =>
  coverageLevels
    .map((level) => [level, days.filter((day) => day.level === level).length] as const)
    .filter(([, count]) => count > 0)
    .map(([level, count]) => `${plural(count, 'day')} ${words[level]}`)
    .join('; ');

interface Stretch {
  readonly first: number;
  readonly last: number;
  readonly level: CoverageLevel;
  readonly days: number;
  readonly blocks: number;
  readonly transactions: number;
}

function stretchesOf(days: readonly CoverageDay[]): Stretch[] {
  const found: Stretch[] = [];
  for (const { day, level, blocks, transactions } of days) {
    const last = found.at(-1);
    if (last?.level === level) {
      found[found.length - 1] = {
        ...last,
        last: day,
        days: last.days + 1,
        blocks: last.blocks + blocks,
        transactions: last.transactions + transactions,
      };
    } else found.push({ first: day, last: day, level, days: 1, blocks, transactions });
  }
  return found;
}
