import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { renderReport } from '../../src/report/renderReport.ts';
import type { ReportData } from '../../src/report/reportData.ts';
import { hasChromium, openBrowser } from '../report/chromium.ts';
import { openAll } from '../report/pageProbes.ts';
import { sampleReport } from '../report/sampleReport.ts';
import { hostile } from '../report/sampleWarehouse.ts';

const act = 'window.owned=1';
const away = 'http://owned.example/';

/** What a chain, a token, an error message or a record may be called. The first ones are the short form. */
const names = [
  hostile,
  `</script><script>${act}</script>`,
  `"><details open ontoggle="${act}">`,
  `'><svg onload='${act}'>`,
  `<img src=x onerror=${act}>`,
  `<svg><script>${act}</script></svg>`,
  `<svg><style><img src=x onerror=${act}></style></svg>`,
  `<math><mtext><table><mglyph><style><img src=x onerror=${act}>`,
  `<noscript><p title="</noscript><img src=x onerror=${act}>">`,
  `</title><script>${act}</script>`,
  `</style><script>${act}</script>`,
  `</textarea><script>${act}</script>`,
  `<!--><script>${act}</script>-->`,
  `<![CDATA[><script>${act}</script>]]>`,
  `<iframe srcdoc="<script>parent.${act}</script>">`,
  `<object data="javascript:${act}">`,
  `<a href="javascript:${act}">here</a>`,
  `javascript:${act}`,
  `" onmouseover="${act}" autofocus onfocus="${act}" x="`,
  `' autofocus onfocus='${act}' x='`,
  `\` onfocus=${act} autofocus`,
  `\${${act}}`,
  `{{constructor.constructor('${act}')()}}`,
  `\\u003cscript\\u003e${act}\\u003c/script\\u003e`,
  `&lt;script&gt;${act}&lt;/script&gt;`,
  `\u2028${act}\u2029`,
  `\0<scr\0ipt>${act}</script>`,
  `＜script＞${act}＜/script＞`,
  `<base href="${away}">`,
  `<meta http-equiv="refresh" content="0;url=${away}">`,
  `<link rel="stylesheet" href="${away}">`,
  `<style>@import "${away}"; * { background: url(${away}) }</style>`,
  `"; background: url(${away}); x: "`,
  `<img src="${away}">`,
  `<form action="${away}"><button autofocus>`,
  `<input type=image src="${away}" formaction="${away}">`,
  `<video><source onerror="${act}" src="${away}"></video>`,
  `__proto__`,
] as const;

/** The same with another name in all places that have one. */
function named<T>(value: T, name: string): T {
  if (typeof value === 'string') return value.replaceAll(hostile, name) as T;
  if (Array.isArray(value)) return value.map((item) => named(item, name)) as T;
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [named(key, name), named(item, name)])) as T;
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, named(item, name)])) as T;
}

let browser: Browser;
let data: ReportData;
/** What a page with harmless names is. */
let harmless: Seen;
beforeAll(async () => {
  if (!hasChromium) return;
  browser = await openBrowser();
  data = await sampleReport({ troubles: true });
  harmless = await see('a name');
}, 180_000);
afterAll(() => browser?.close());

interface Seen {
  readonly state: unknown;
  /** Elements that lead away, or that only injected markup could have made. */
  readonly elements: number;
  readonly text: string;
}

/** Opens the report with a name in all places. @throws where the page asks for something, complains or asks the reader */
async function see(name: string): Promise<Seen> {
  const file = join(await mkdtemp(join(tmpdir(), 'firn-names-')), 'report.html');
  await writeFile(file, renderReport(named(data, name)));
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(`console: ${message.text()}`));
    page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
    page.on('dialog', (dialog) => complaints.push(`dialog: ${dialog.message()}`));
    page.on('request', (request) => {
      if (!/^(file|data):/.test(request.url())) complaints.push(`request: ${request.url()}`);
    });
    await page.goto(pathToFileURL(file).href);
    await page.locator('figure canvas').first().waitFor();
    await page.evaluate(openAll);
    expect(complaints).toEqual([]);
    return {
      state: await page.evaluate('[window.owned, document.title, location.protocol]'),
      elements: await page.evaluate(
        `document.querySelectorAll('script, iframe, object, base, form, video, img, input, math, [onload], [onerror], [onfocus], meta, link, style').length`,
      ),
      text: await page.evaluate('document.body.textContent'),
    };
  } finally {
    await context.close();
    await rm(join(file, '..'), { recursive: true });
  }
}

// FIRN_HOSTILE (npm run proof): all of them.
const chosen = process.env['FIRN_HOSTILE'] === undefined ? names.slice(0, 3) : names;

describe.skipIf(!hasChromium)('in a browser a name is text, and does nothing', () => {
  test.each(chosen)('%j', async (name) => {
    const { text, ...seen } = await see(name);
    expect(seen).toEqual({ state: harmless.state, elements: harmless.elements });
    // Characters that a page cannot hold are shown as escapes; the rest can be read.
    const longest = name.split(/[\0\u2028\u2029]/).sort((a, b) => b.length - a.length)[0] ?? '';
    expect(text).toContain(longest.slice(0, 20).trim());
  });
});
