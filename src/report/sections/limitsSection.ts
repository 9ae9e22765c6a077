import { type Html, html } from '../markup/html.ts';
import { wide } from '../markup/wide.ts';
import { bytesText, countText, plural } from '../texts/numberText.ts';
import { dayText, spanText } from '../texts/timeText.ts';
import type { View } from '../view.ts';

/** Days of a source's quota that are shown. */
const daysShown = 14;

/** How much of the services' limits was used, by day and in the last run. */
export function limitsSection(view: View): Html {
  const { quota, sources } = view.data;
  const names = [...new Set(quota.map(({ source }) => source))];
  return html`<section id="limits" aria-labelledby="h-limits"><h2 id="h-limits">Rate limits</h2>
${sources.length === 0 && names.length === 0 && html`<p class="empty">Nothing was asked yet.</p>`}
${sources.length > 0 && lastRun(view)}
${names.length > 0 && html`<div class="quotas">${names.map((name) => days(view, name))}</div>`}</section>`;
}

function lastRun({ data }: View): Html {
  return html`<div ${wide('Requests of the last run')}><table><caption>The last run that read</caption><thead><tr><th scope="col">source</th><th scope="col" class="n">requests</th><th scope="col" class="n">sent again</th><th scope="col" class="n">compute units</th><th scope="col" class="n">waited for limits</th><th scope="col" class="n">answers</th></tr></thead><tbody>${data.sources.map(
    ({ source, requests, retries, waitedMs, bytes, computeUnits }) =>
      html`<tr><th scope="row">${source}</th><td class="n">${countText(requests)}</td><td class="n">${countText(retries)}</td><td class="n">${countText(computeUnits)}</td><td class="n">${waitedMs < 50 ? 'none' : spanText(waitedMs)}</td><td class="n">${bytesText(bytes)}</td></tr>`,
  )}</tbody></table></div>`;
}

function days({ data }: View, source: string): Html {
  const used = data.quota.filter((row) => row.source === source).slice(0, daysShown);
  const allowed = data.dailyQuota[source];
  return html`<div ${wide(`Quota of ${source}`)}><table class="quota"><caption>${source}: compute units a day${allowed !== undefined && `, ${countText(allowed)} allowed`}</caption><thead><tr><th scope="col">day (UTC)</th><th scope="col" class="n">used</th>${allowed !== undefined && html`<th scope="col">share</th>`}</tr></thead><tbody>${used.map(
    ({ day, units }) => {
      const share = allowed === undefined ? null : units / allowed;
      return html`<tr><th scope="row">${dayText(day)}</th><td class="n">${countText(units)}</td>${share !== null && html`<td>${bar(share)} ${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %</td>`}</tr>`;
    },
  )}</tbody></table>${used.length === daysShown && html`<p class="note">The newest ${plural(daysShown, 'day')}.</p>`}</div>`;
}

const bar = (share: number): Html =>
  html`<svg class="bar ${share > 0.9 && 'full'}" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect width="100" height="8" rx="2" class="rail"/><rect width="${Math.min(100, Math.max(1, Math.round(share * 100)))}" height="8" rx="2"/></svg>`;
