import { type Html, html, prose } from '../markup/html.ts';
import { icon } from '../markup/icon.ts';
import { wide } from '../markup/wide.ts';
import type { VerdictCount, VerdictExample } from '../reportData.ts';
import { isCut } from '../texts/cutTexts.ts';
import { explainCommand } from '../texts/explainCommand.ts';
import { groupDigits, orDash, plural } from '../texts/numberText.ts';
import { bucketText, momentText, spanText } from '../texts/timeText.ts';
import { agreeingVerdicts, groupOf, isExplained, verdictFacts, verdictGroups } from '../verdicts/verdictFacts.ts';
import { anchor, type View } from '../view.ts';

/** What does not agree and is explained on the page, the worst first, and how much of it there is. */
export function explained({ data, limits }: View): { shown: readonly VerdictCount[]; total: number } {
  const odd = data.verdicts
    .filter(({ verdict }) => isExplained(verdict))
    .sort((a, b) => verdictGroups.indexOf(groupOf(a.verdict)) - verdictGroups.indexOf(groupOf(b.verdict)));
  return { shown: odd.slice(0, limits.explanations), total: odd.length };
}

/** For everything that does not agree: what it means, what to do, a few buckets, and the way to see them again. */
export function explanationsSection(view: View): Html {
  const { shown, total } = explained(view);
  const waiting = view.data.verdicts.filter(({ verdict }) => groupOf(verdict) === 'waiting');
  if (total === 0 && waiting.length === 0) return html``;
  const seen = new Set<string>();
  return html`<section id="explanations" aria-labelledby="h-explanations"><h2 id="h-explanations">What is not equal, and what to do</h2>
${shown.map((count) => {
  // A cell of the matrix leads to the first explanation of its series.
  const id = anchor('x', count.chainId, count.metric, count.interval);
  const first = !seen.has(id);
  seen.add(id);
  return explanation(view, count, first ? id : undefined);
})}
${total > shown.length && html`<p class="note">${plural(total - shown.length, 'more group')} of buckets: <code>SELECT * FROM mart.reconciliation WHERE verdict NOT IN (${agreeingVerdicts.map((verdict) => `'${verdict}'`).join(', ')})</code></p>`}
${waiting.length > 0 && waitingExplanation(view, waiting)}${freshness(view)}</section>`;
}

function explanation(view: View, count: VerdictCount, id: string | undefined): Html {
  const { chainId, metric, interval, verdict, variant, scale, buckets } = count;
  const { group, meaning, todo } = verdictFacts(verdict);
  const examples = view.data.examples.filter((example) => sameGroup(example, count)).slice(0, view.limits.examples);
  const note = examples.find((example) => example.note)?.note;
  const named =
    [variant && `${verdict}(${variant})`, scale && scale !== '1' && `${verdict}(${scale})`].find(Boolean) || verdict;
  return html`<details class="x ${group}" ${id && html`id="${id}"`} ${group === 'differs' && 'open'}>
<summary>${icon(group)} <b>${metric}</b> <span>${view.chainName(chainId)}, ${interval}</span> <span class="verdict">${named}</span> <span class="end">${plural(buckets, 'bucket')}</span></summary>
<div><p>${prose(meaning)}${variant && html` The reading: <code>${variant}</code>.`}${scale && scale !== '1' && html` The factor: own = served × ${groupDigits(scale)}.`} ${note && note}</p><p><b>What to do:</b> ${prose(todo)}</p>
${examples.length > 0 && exampleTable(view, count, examples)}
${examples[0] && commands(examples[0])}</div></details>
`;
}

const sameGroup = (example: VerdictExample, count: VerdictCount): boolean =>
  example.chainId === count.chainId &&
  example.metric === count.metric &&
  example.interval === count.interval &&
  example.verdict === count.verdict &&
  example.variant === count.variant &&
  example.scale === count.scale;

function exampleTable(view: View, count: VerdictCount, examples: readonly VerdictExample[]): Html {
  const { chainId, metric, interval, verdict, variant, buckets } = count;
  const which = [metric, view.chainName(chainId), interval, verdict, variant].filter(Boolean).join(', ');
  const label =
    examples.length < buckets
      ? `The newest ${examples.length} of ${plural(buckets, 'bucket')}`
      : plural(buckets, 'bucket');
  return html`<div ${wide(`Buckets of ${which}`)}><table><caption>${label}</caption><thead><tr><th scope="col">${interval} (UTC)</th><th scope="col" class="n">own</th><th scope="col" class="n">served</th><th scope="col" class="n">served − own</th><th scope="col" class="n">blocks</th><th scope="col">seen (UTC)</th></tr></thead><tbody>${examples.map(
    (example) =>
      html`<tr><th scope="row">${bucketText(example.bucket, interval)}</th><td class="n">${orDash(example.own, groupDigits)}</td><td class="n">${orDash(example.served, groupDigits)}</td><td class="n">${orDash(example.difference, groupDigits)}</td><td class="n">${blockRange(example)}</td><td>${orDash(example.fetchedAt, momentText)}</td></tr>`,
  )}</tbody></table></div>`;
}

const blockRange = ({ firstBlock, lastBlock }: VerdictExample): string =>
  firstBlock === null || lastBlock === null ? '–' : `${firstBlock} – ${lastBlock}`;

function commands({ chainId, metric, interval, bucket, query }: VerdictExample): Html {
  return html`<p>To see its blocks:</p><pre tabindex="0">${explainCommand(chainId, metric, interval, bucket)}</pre>${!isCut(query) && html`<p>Or in any SQL client:</p><pre tabindex="0">${query}</pre>`}`;
}

function waitingExplanation(view: View, waiting: readonly VerdictCount[]): Html {
  const { meaning, todo } = verdictFacts('served_provisional');
  const buckets = waiting.reduce((sum, count) => sum + count.buckets, 0);
  const shown = waiting.slice(0, 4 * view.limits.explanations);
  return html`<details class="x waiting" id="waiting"><summary>${icon('waiting')} <b>Not settled yet</b> <span>the newest buckets</span> <span class="end">${plural(buckets, 'bucket')}</span></summary>
<div><p>${prose(meaning)}</p><p><b>What to do:</b> ${prose(todo)}</p>
<div ${wide('Series with buckets that are not settled')}><table><caption>${plural(waiting.length, 'series', 'series')}${shown.length < waiting.length && `, ${shown.length} shown`}</caption><thead><tr><th scope="col">chain</th><th scope="col">metric</th><th scope="col">interval</th><th scope="col" class="n">buckets</th><th scope="col">from (UTC)</th></tr></thead><tbody>${shown.map(
    (count) =>
      html`<tr><td>${view.chainName(count.chainId)}<td>${count.metric}<td>${count.interval}<td class="n">${count.buckets}<td>${bucketText(count.firstBucket, count.interval)}`,
  )}</tbody></table></div></div></details>`;
}

/** How far the served series are behind the chain, and how long their buckets keep changing. */
function freshness(view: View): Html {
  const all = view.data.freshness;
  if (all.length === 0) return html``;
  const shown = all.slice(0, 4 * view.limits.explanations);
  return html`<details class="x"><summary><b>How fresh the served series are</b> <span class="end">${plural(all.length, 'series', 'series')}</span></summary><div>
<div ${wide('Freshness of the served series')}><table><caption>Behind the newest block${shown.length < all.length && `; ${shown.length} shown`}</caption><thead><tr><th scope="col">chain<th scope="col">metric<th scope="col">interval<th scope="col">newest bucket (UTC)<th scope="col" class="n">behind<th scope="col" class="n">buckets revised</thead><tbody>${shown.map(
    ({ chainId, metric, interval, newestBucket, lagSeconds, revisedBuckets }) =>
      html`<tr><td>${view.chainName(chainId)}<td>${metric}<td>${interval}<td>${orDash(newestBucket, (bucket) => bucketText(bucket, interval))}<td class="n">${lagText(lagSeconds)}<td class="n">${revisedBuckets}`,
  )}</tbody></table></div></div></details>`;
}

/** While older blocks are still being read, what is served reaches beyond the newest of them. */
function lagText(seconds: number | null): string {
  if (seconds === null) return '–';
  return seconds < 0 ? 'ahead of the blocks held' : spanText(seconds * 1000);
}
