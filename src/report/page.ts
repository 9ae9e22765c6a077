import { createHash } from 'node:crypto';
import { type Html, html, markup } from './html.ts';
import { pageScript } from './pageScript.ts';
import { pageStyle } from './pageStyle.ts';
import { coverageSection } from './sections/coverageSection.ts';
import { explanationsSection } from './sections/explanationsSection.ts';
import { headerSection } from './sections/headerSection.ts';
import { iconSprite } from './sections/icon.ts';
import { limitsSection } from './sections/limitsSection.ts';
import { matrixSection } from './sections/matrixSection.ts';
import { metricsSection } from './sections/metricsSection.ts';
import { quarantineSection } from './sections/quarantineSection.ts';
import { runsSection } from './sections/runsSection.ts';
import { streamsSection } from './sections/streamsSection.ts';
import type { View } from './view.ts';

const sha256 = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** What the page may do: its own style and script, and nothing from anywhere; where it is served, ask for a newer version. */
export const contentSecurityPolicy = (live: boolean): string =>
  [
    "default-src 'none'",
    `style-src ${sha256(pageStyle())}`,
    `script-src ${sha256(pageScript())}`,
    'img-src data:',
    ...(live ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');

const sections: readonly (readonly [string, string, (view: View) => Html])[] = [
  ['verdicts', 'Verdicts', (view) => html`${matrixSection(view)}${explanationsSection(view)}`],
  ['metrics', 'Metrics', metricsSection],
  ['streams', 'Streams', streamsSection],
  ['coverage', 'Coverage', coverageSection],
  ['limits', 'Rate limits', limitsSection],
  ['runs', 'Runs', runsSection],
  ['quarantine', 'Quarantine', quarantineSection],
];

const mark = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M1 14L8 2l7 12z" fill="#0a6ea8"/><path d="M5.7 6L8 2l2.3 4-1.3 1-1-1-1 1z" fill="#fff"/></svg>',
)}`;

/**
 * The whole page.
 *
 * @param live the version that is shown, where a server answers for newer ones; null for a file
 */
export function page(view: View, live: string | null): string {
  const title = `firn report${view.data.network ? `: ${view.data.network.name}` : ''}`;
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy(live !== null)}">
<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer"><meta name="generator" content="firn ${view.data.firnVersion}">
<title>${title}</title><link rel="icon" href="${mark}"><style>${markup(pageStyle())}</style></head>
<body ${live !== null && html`data-live="${live}"`}><a class="skip" href="#main">Skip to the verdicts</a>${iconSprite}
${headerSection(view)}
<nav aria-label="Parts of the report"><ul>${sections.map(([id, name]) => html`<li><a href="#${id}">${name}</a></li>`)}</ul></nav>
<main id="main" tabindex="-1">${sections.map(([, , render]) => render(view))}</main>
<footer><p>Recomputed values come from blocks alone. Ages of buckets count from the newest block, never from a clock. Everything is in the database: <code>SELECT * FROM mart.reconciliation</code>, <code>mart.metric</code>, <code>firn.load</code>.</p></footer>
<script>${markup(pageScript())}</script></body></html>
`.markup;
}
