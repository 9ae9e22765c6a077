import { badRuns, unknownRuns } from '../health/assessHealth.ts';
import { auditFails, heldBackBy, heldBackText } from '../health/heldBackText.ts';
import { unpublishedText } from '../health/lastRuns.ts';
import { streamHealth } from '../health/streamHealth.ts';
import { type Html, html } from '../markup/html.ts';
import { countText, plural } from '../texts/numberText.ts';
import type { View } from '../view.ts';

/** What somebody should look at apart from the verdicts; nothing where all is well. */
export function attention(view: View): Html {
  const { streams, audits, inconsistentDays, unloaded, unresolved } = view.data;
  const unpublished = unpublishedText(view.data);
  const failed = streams.filter((stream) => streamHealth(stream).failed > 0);
  const late = streams
    .map((stream) => ({ ...streamHealth(stream), name: stream.stream }))
    .filter(({ failed, behind }) => failed === 0 && behind > 0);
  const aside = unresolved.records;
  const heldBack = heldBackBy(unresolved);
  const failing = audits.filter(auditFails);
  const items = [
    ...[...unknownRuns(view.data), ...badRuns(view.data)].map(({ sentence }) => html`<a href="#runs">${sentence}</a>`),
    unpublished && html`Nothing was ${unpublished}.`,
    failing.length > 0 &&
      html`<a href="#audits">${plural(failing.length, 'audit')}</a> failed: ${failing
        .slice(0, 3)
        .map(({ name }) => name)
        .join(', ')}.`,
    ...heldBack.slice(0, 3).map((held) => html`${heldBackText(held)}`),
    heldBack.length > 3 &&
      html`<a href="#held-back">${plural(heldBack.length - 3, 'more reason')}</a> ${heldBack.length === 4 ? 'holds' : 'hold'} something back.`,
    failed.length > 0 &&
      html`<a href="#streams">${plural(failed.length, 'stream')}</a> could not be read whole: ${failed
        .slice(0, 4)
        .map(({ stream }) => stream)
        .join(', ')}.`,
    late.length > 0 &&
      html`<a href="#streams">${plural(late.length, 'stream')}</a> ${late.length === 1 ? 'is' : 'are'} behind what there is to read: ${late
        .slice(0, 4)
        .map(({ name, behind }) => `${name} by ${countText(behind)}`)
        .join(', ')}.`,
    aside > 0 &&
      html`<a href="#quarantine">${plural(aside, 'record is', 'records are')}</a> in quarantine, because they could not be read.`,
    ...unloaded.map(({ file, problem }) => html`refs/${file} is not loaded: ${problem}.`),
    inconsistentDays > 0 &&
      html`On ${plural(inconsistentDays, 'day')} the served cumulativeTxCount does not grow by the served txCount: the service contradicts itself.`,
  ].filter(Boolean);
  return items.length === 0 ? html`` : html`<ul class="attention">${items.map((item) => html`<li>${item}</li>`)}</ul>`;
}
