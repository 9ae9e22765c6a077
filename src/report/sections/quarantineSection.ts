import type { QuarantineGroup } from '../../core/unresolved.ts';
import { type Html, html } from '../markup/html.ts';
import { icon } from '../markup/icon.ts';
import { wide } from '../markup/wide.ts';
import { moreGroups } from '../texts/moreGroups.ts';
import { countText, plural } from '../texts/numberText.ts';
import { momentText } from '../texts/timeText.ts';
import type { View } from '../view.ts';

/** Records that could not be read, by reason, and members that no schema knows. */
export function quarantineSection(view: View): Html {
  const { unresolved, schemaChanges } = view.data;
  const { groups, accepted } = unresolved;
  const shown = groups.slice(0, view.limits.reasons);
  const more = moreGroups(unresolved, shown.length);
  return html`<section id="quarantine" aria-labelledby="h-quarantine"><h2 id="h-quarantine">Quarantine</h2>
${groups.length === 0 ? html`<p class="empty">${icon('agrees')} No record is in quarantine.</p>` : html`<p>Records that could not be read are kept whole. <code>firn quarantine list</code> shows them, <code>firn quarantine replay</code> tries them again, <code>firn quarantine accept</code> leaves them unread.</p>`}${accepted > 0 && html`<p>${plural(accepted, 'record')} could not be read, and somebody accepted that: <code>firn quarantine list --accepted</code>.</p>`}
${shown.map(group)}${more && html`<p class="note">${more} not shown.</p>`}
${schemaChanges.length > 0 && changes(view)}</section>`;
}

function group({ stream, partition, reason, records, times, firstAt, lastAt, example }: QuarantineGroup): Html {
  return html`<details class="x differs"><summary>${icon('differs')} <code>${stream}</code> <span>${reason}</span> <span class="end">${plural(records, 'record')}</span></summary><div><p>Of <code>${partition}</code>, first on ${momentText(firstAt)} UTC, last on ${momentText(lastAt)} UTC, ${countText(times)} times in all. One of them:</p><pre tabindex="0">${example}</pre></div></details>
`;
}

function changes(view: View): Html {
  const { schemaChanges, unknownMembers } = view.data;
  const shown = schemaChanges.slice(0, view.limits.reasons);
  return html`<details><summary>${plural(unknownMembers, 'member')} that no schema knows or takes, kept in <code>_extra</code></summary><div ${wide('Unknown members')}><table><caption>${shown.length < unknownMembers ? `The newest ${countText(shown.length)}` : 'Newest first'}</caption><thead><tr><th scope="col">stream<th scope="col">member<th scope="col">example<th scope="col">first seen (UTC)</thead><tbody>${shown.map(
    ({ stream, member, example, seenAt }) =>
      html`<tr><td>${stream}<td><code>${member}</code><td><code>${example}</code><td>${momentText(seenAt)}`,
  )}</tbody></table></div></details>`;
}
