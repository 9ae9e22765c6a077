import { hash } from 'node:crypto';
import { builtText } from '../builtFile.ts';
import { type Html, html, markup } from './html.ts';
import { iconSprite } from './icon.ts';
import { pageStyle } from './pageStyle.ts';

const sha256 = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`;

/** What a page may do: its own style and script, and nothing from anywhere; where it is served, ask this server. */
export const contentSecurityPolicy = (live: boolean): string =>
  [
    "default-src 'none'",
    `style-src ${sha256(pageStyle())}`,
    `script-src ${sha256(pageScript())}`,
    'img-src data:',
    ...(live ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    `form-action ${live ? "'self'" : "'none'"}`,
  ].join('; ');

const mark = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M1 14L8 2l7 12z" fill="#0a6ea8"/><path d="M5.7 6L8 2l2.3 4-1.3 1-1-1-1 1z" fill="#fff"/></svg>',
)}`;

interface ShellOptions {
  readonly title: string;
  readonly firnVersion: string;
  /** The version that is shown, where a server answers for newer ones; null for a file. */
  readonly live: string | null;
  /** Text of the link that skips to the main part. */
  readonly skip?: string;
  readonly body: Html;
}

/** What every page has around its content. */
export function shell({ title, firnVersion, live, skip = 'Skip to the main part', body }: ShellOptions): string {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy(live !== null)}">
<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer"><meta name="generator" content="firn ${firnVersion}">
<title>${title}</title><link rel="icon" href="${mark}"><style>${markup(pageStyle())}</style></head>
<body ${live !== null && html`data-live="${live}"`}><a class="skip" href="#main">${skip}</a>${iconSprite}
${body}
<script>${markup(pageScript())}</script></body></html>
`.markup;
}

/** The script of the page: `browser/`, bundled. Without it the page says what matters, but draws nothing. */
const pageScript = (): string => builtText('page.js').replaceAll('</script', '<\\/script');
