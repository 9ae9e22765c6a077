import { networkText } from '../core/stream/network.ts';
import { type Html, html } from './markup/html.ts';
import { shell } from './markup/shell.ts';
import { coverageSection } from './sections/coverageSection.ts';
import { explanationsSection } from './sections/explanationsSection.ts';
import { headerSection } from './sections/headerSection.ts';
import { limitsSection } from './sections/limitsSection.ts';
import { matrixSection } from './sections/matrixSection.ts';
import { metricsSection } from './sections/metricsSection.ts';
import { quarantineSection } from './sections/quarantineSection.ts';
import { runsSection } from './sections/runsSection.ts';
import { streamsSection } from './sections/streamsSection.ts';
import type { View } from './view.ts';

const sections: readonly (readonly [string, string, (view: View) => Html])[] = [
  ['verdicts', 'Verdicts', (view) => html`${matrixSection(view)}${explanationsSection(view)}`],
  ['metrics', 'Metrics', metricsSection],
  ['streams', 'Streams', streamsSection],
  ['coverage', 'Coverage', coverageSection],
  ['limits', 'Rate limits', limitsSection],
  ['runs', 'Runs', runsSection],
  ['quarantine', 'Quarantine', quarantineSection],
];

/**
 * The whole page.
 *
 * @param live the version that is shown, where a server answers for newer ones; null for a file
 */
export function page(view: View, live: string | null): string {
  const { network, firnVersion } = view.data;
  return shell({
    title: `firn report${network ? `: ${networkText(network.name, network.id)}` : ''}`,
    firnVersion,
    live,
    skip: 'Skip to the verdicts',
    body: html`${headerSection(view)}
<nav aria-label="Parts of the report"><ul>${sections.map(([id, name]) => html`<li><a href="#${id}">${name}</a></li>`)}${live !== null && html`<li><a href="/tables">Tables</a></li><li><a href="/sql">SQL</a></li>`}</ul></nav>
<main id="main" tabindex="-1">${sections.map(([, , render]) => render(view))}</main>
<footer><p>Recomputed values come from blocks alone. Ages of buckets count from the newest block, never from a clock. Everything is in the database: <code>SELECT * FROM mart.reconciliation</code>, <code>mart.metric</code>, <code>firn.load</code>.</p></footer>`,
  });
}
