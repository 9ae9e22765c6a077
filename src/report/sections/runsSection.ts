import { auditFails, heldBackBy } from '../health/heldBackText.ts';
import { type Html, html } from '../markup/html.ts';
import { icon, marked } from '../markup/icon.ts';
import { wide } from '../markup/wide.ts';
import type { RunFacts, RunningNow } from '../reportData.ts';
import { exitCodeText } from '../texts/exitCodeText.ts';
import { countText, orDash, plural } from '../texts/numberText.ts';
import { momentText, spanText } from '../texts/timeText.ts';
import type { VerdictGroup } from '../verdicts/verdictFacts.ts';
import type { View } from '../view.ts';

/** Reasons of one kind that are told. */
const mostReasons = 12;

const moreReasons = ({ length }: readonly unknown[]): Html | false =>
  length > mostReasons && html`<li>${plural(length - mostReasons, 'more reason')} not shown</li>`;

/** The last runs, newest first, with their exit codes and what those mean. */
export function runsSection(view: View): Html {
  const { runs, running, audits, unresolved } = view.data;
  const heldBack = heldBackBy(unresolved);
  const shown = runs.slice(0, view.limits.runs);
  const failing = audits.filter(auditFails);
  return html`<section id="runs" aria-labelledby="h-runs"><h2 id="h-runs">Runs</h2>
${running && html`<p>${icon('waiting')} <b>${running.command}</b> is running: ${running.phase}, process ${running.pid}${running.host !== undefined && ` on ${running.host}`}, since ${running.startedAt ?? running.since}${running.partitions && `: ${running.partitions.done} of ${plural(running.partitions.total, 'partition')} read, ${plural(running.rows ?? 0, 'row')}`}.</p>${reading(running)}`}
${runs.length === 0 ? html`<p class="empty">No run yet.</p>` : table(view, shown)}
${
  audits.length > 0 &&
  html`<details id="audits" ${failing.length > 0 && 'open'}><summary>${icon(failing.length > 0 ? 'differs' : 'agrees')} ${audits.length - failing.length} of ${audits.length} audits hold</summary><ul>${[
    ...failing,
    ...audits.filter((audit) => !auditFails(audit)),
  ].map(
    ({ name, failedRows, couldNotLook, example }) =>
      html`<li>${icon(failedRows > 0 || couldNotLook ? 'differs' : 'agrees')} <code>${name}</code>${couldNotLook && html` could not look: <code>${example ?? ''}</code>`}${failedRows > 0 && html`: ${plural(failedRows, 'row')}, such as <code>${example ?? ''}</code>`}</li>`,
  )}</ul></details>`
}${
  heldBack.length > 0 &&
  html`<details id="held-back" open><summary>${icon('differs')} ${plural(new Set(heldBack.flatMap(({ relations }) => relations)).size, 'relation')} held back</summary><ul>${heldBack
    .slice(0, mostReasons)
    .map(
      ({ audit, since, reason, relations }) =>
        html`<li><code>${audit}</code>, since ${momentText(since)} UTC: ${reason} <small>${relations.slice(0, view.limits.rows).join(', ')}</small></li>`,
    )}${moreReasons(heldBack)}</ul></details>`
}</section>`;
}

function reading({ phase, reading: open = [] }: RunningNow): Html {
  if (phase !== 'sync' || open.length === 0) return html``;
  return html`<ul>${open.map(
    ({ stream, partition, done, total, remainingMs }) =>
      html`<li><code>${stream}</code> ${partition}: ${countText(done)}${total !== null && ` of ${countText(total)}`}${remainingMs !== null && `, about ${spanText(remainingMs)} still`}</li>`,
  )}</ul>`;
}

function table(view: View, shown: readonly RunFacts[]): Html {
  return html`<div ${wide('Table of runs')}><table class="runs"><caption>${shown.length < view.data.runs.length ? `The newest ${shown.length}` : 'Newest first'}</caption><thead><tr><th scope="col">began (UTC)</th><th scope="col">command</th><th scope="col">exit code</th><th scope="col" class="n">took</th><th scope="col" class="n">requests</th><th scope="col" class="n">rows</th></tr></thead><tbody>${shown.map(row)}</tbody></table></div>`;
}

function row(run: RunFacts): Html {
  const { exitCode, startedAt, finishedAt } = run;
  return html`<tr><th scope="row">${momentText(startedAt)}</th><td>${run.command}</td><td>${marked(faceOf(exitCode), exitCode ?? 'none')} ${run.isGoing ? 'goes on' : exitCodeText(exitCode)}${
    run.problems.length > 0 &&
    html`<details><summary>${run.problems.length === 1 ? 'why' : `${run.problems.length} reasons`}</summary><ul>${run.problems
      .slice(0, mostReasons)
      .map((problem) => html`<li>${problem}</li>`)}${moreReasons(run.problems)}</ul></details>`
  }</td><td class="n">${orDash(finishedAt, (end) => spanText(end - startedAt))}</td><td class="n">${countText(run.requests)}</td><td class="n">${countText(run.rows)}</td></tr>
`;
}

/** An ended run is good, bad, or worth trying again. */
function faceOf(code: number | null): VerdictGroup {
  if (code === 0) return 'agrees';
  if (code === null) return 'own';
  return code === 75 || code >= 130 ? 'waiting' : 'differs';
}
