/** @module-tag long */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { renderReport } from '../../src/report/renderReport.ts';
import type { PlottedSeries, ReportData, SeriesColumns } from '../../src/report/reportData.ts';
import { mapColumns } from '../../src/report/seriesPoints.ts';
import { temporary } from '../temporaryFolders.ts';
import { hasChromium, openBrowser } from './chromium.ts';
import {
  accessProblems,
  background,
  cutOfMatrices,
  faintTexts,
  numberTargets,
  openAll,
  overflow,
} from './pageProbes.ts';
import { sampleReport } from './sampleReport.ts';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Processes and pages need a moment, on a busy machine a long one. */
const soon = { timeout: 60_000, interval: 50 };

let browser: Browser;
const pages: Record<'calm' | 'troubled', string> = { calm: '', troubled: '' };

beforeAll(async () => {
  if (!hasChromium) return;
  browser = await openBrowser();
  pages.calm = renderReport(await sampleReport());
  pages.troubled = renderReport(await sampleReport({ troubles: true }));
}, 180_000);

afterAll(() => browser?.close());

interface Opened {
  readonly page: Page;
  /** Errors, warnings, and requests for anything but the file itself. */
  readonly complaints: string[];
}

const contexts = new Map<string, Promise<BrowserContext>>();

/** What pages with the same options share. Its first page stays: without any its process would end, and the next one start another. */
function contextOf(options: BrowserContextOptions): Promise<BrowserContext> {
  const key = JSON.stringify(options);
  const made =
    contexts.get(key) ?? browser.newContext(options).then((context) => context.newPage().then(() => context));
  contexts.set(key, made);
  return made;
}

interface Options extends BrowserContextOptions {
  readonly colorScheme?: 'light' | 'dark';
}

async function open(which: keyof typeof pages, options: Options = {}, hash = '', text = pages[which]): Promise<Opened> {
  const { viewport = { width: 1280, height: 900 }, colorScheme = 'light', ...special } = options;
  const file = join(await temporary(), 'report.html');
  await writeFile(file, text);
  const page = await (await contextOf(special)).newPage();
  onTestFinished(() => page.close());
  await page.setViewportSize(viewport ?? { width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme });
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (!/^(file|data):/.test(request.url())) complaints.push(`request: ${request.url()}`);
  });
  page.on('dialog', (dialog) => complaints.push(`dialog: ${dialog.message()}`));
  await page.goto(`${pathToFileURL(file).href}${hash}`);
  if (options.javaScriptEnabled !== false) await page.locator('figure canvas').first().waitFor();
  return { page, complaints };
}

/** Hash of the picture that the first plot by an interval is, in a report whose columns are changed. */
async function drawnOf(
  data: ReportData,
  interval: string,
  change: (columns: SeriesColumns) => SeriesColumns,
): Promise<string> {
  const series = data.series.map((one) => (one.interval === interval ? { ...one, columns: change(one.columns) } : one));
  const { page } = await open('calm', {}, `#/?interval=${interval}`, renderReport({ ...data, series }));
  const picture = await page
    .locator('figure canvas')
    .first()
    .evaluate((canvas) => (canvas as unknown as { toDataURL(): string }).toDataURL());
  return createHash('sha256').update(picture).digest('hex');
}

/** Columns that lack a bucket; blocks, which are not drawn, no longer add up. */
function withoutBucket(columns: SeriesColumns, at: number): SeriesColumns {
  const steps = columns.bucket.split(',').map(Number);
  steps[at + 1] = (steps[at] ?? 0) + (steps[at + 1] ?? 0);
  const cut = mapColumns({ ...columns, bucket: steps.join(',') }, (column) => column.split(',').toSpliced(at, 1));
  return mapColumns(cut, (values) => values.join(','));
}

/** Columns in which a bucket has neither values nor a verdict. */
function withoutValue(columns: SeriesColumns, at: number): SeriesColumns {
  const emptied = (column: string) => column.split(',').with(at, '').join(',');
  const { own, served, verdict } = columns;
  return { ...columns, own: emptied(own), served: emptied(served), verdict: emptied(verdict) };
}

/** A series whose last bucket is served alone, for a time a century ahead. */
function withBucketAhead(series: PlottedSeries): PlottedSeries {
  const { bucket, served, verdict, ...others } = mapColumns(series.columns, (column) => `${column},`);
  const last = { bucket: `${bucket}${100 * 365 * 96}`, served: `${served}5`, verdict: `${verdict}own_incomplete` };
  return { ...series, columns: { ...others, ...last } };
}

describe.skipIf(!hasChromium)('in a browser', () => {
  describe.each(['calm', 'troubled'] as const)('the %s report', (which) => {
    test.each(['light', 'dark'] as const)('loads nothing and complains of nothing (%s)', async (colorScheme) => {
      const { page, complaints } = await open(which, { colorScheme });
      await page.evaluate(openAll);
      expect(complaints).toEqual([]);
      expect(await page.title()).toBe('firn report: local (network 12345)');
    });

    test.each([400, 768, 900, 1000, 1280])('shows every interval of a matrix at %d px', async (width) => {
      const { page } = await open(which, { viewport: { width, height: 800 } });
      expect(await page.evaluate<number>(cutOfMatrices)).toBe(0);
    });

    test.each([320, 400, 768, 1280])('never scrolls sideways at %d px, opened or closed', async (width) => {
      const { page } = await open(which, { viewport: { width, height: 800 } });
      expect(await page.evaluate<number>(overflow)).toBeLessThanOrEqual(0);
      await page.evaluate(openAll);
      expect(await page.evaluate<number>(overflow)).toBeLessThanOrEqual(0);
    });

    test.each(['light', 'dark'] as const)('every text stands out from what is behind it (%s)', async (colorScheme) => {
      const { page } = await open(which, { colorScheme });
      await page.evaluate(openAll);
      expect(await page.evaluate<string[]>(faintTexts)).toEqual([]);
    });

    test('the matrix is whole without scrolling inside it at 400 px', async () => {
      const { page } = await open(which, { viewport: { width: 400, height: 800 } });
      const widths = await page.$$eval('.matrices > .wide', (all) =>
        all.map((one) => one.scrollWidth - one.clientWidth),
      );
      expect(widths.length).toBe(2);
      expect(Math.max(...widths)).toBeLessThanOrEqual(0);
    });
  });

  test('light and dark are different pages', async () => {
    const shown = async (colorScheme: 'light' | 'dark') =>
      (await open('calm', { colorScheme })).page.evaluate<string>(background);
    const brightness = (colour: string) => Math.max(...(colour.match(/\d+/g) ?? []).map(Number));
    expect(brightness(await shown('light'))).toBeGreaterThan(200);
    expect(brightness(await shown('dark'))).toBeLessThan(60);
  });

  test('the keyboard reaches every part that opens and every link, in reading order', async () => {
    const { page } = await open('troubled');
    const wanted = await page.evaluate<number>(numberTargets);
    const reached: number[] = [];
    for (let step = 0; step < 3 * wanted && reached.length < wanted; step++) {
      await page.keyboard.press('Tab');
      const place = await page.evaluate<string | undefined>('document.activeElement?.dataset.place');
      if (place !== undefined) reached.push(Number(place));
    }
    expect(reached).toEqual(Array.from({ length: wanted }, (_, index) => index));
  });

  test('what has the focus shows it, and Enter opens it', async () => {
    const { page } = await open('calm');
    const summary = page.locator('details.latest > summary');
    await summary.focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Shift+Tab');
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
    await page.keyboard.press('Enter');
    expect(await page.locator('details.latest').getAttribute('open')).toBe('');
    expect(await page.locator('#m-43112-txCount-day').isVisible()).toBe(true);
  });

  test('the skip link leads to the verdicts', async () => {
    const { page } = await open('calm');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement?.textContent')).toBe('Skip to the verdicts');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement?.id')).toBe('main');
  });

  test('the headline and the bar under it are one shape', async () => {
    const { page } = await open('calm');
    expect(await page.evaluate("getComputedStyle(document.querySelector('h1')).borderRadius")).toBe('8px 8px 0px 0px');
  });

  test.each([320, 360, 400])(
    'breaks no title and no name of a metric where there is room for it, at %d px',
    async (width) => {
      const { page } = await open('calm', { viewport: { width, height: 800 } });
      const names = page.locator('figcaption code, figcaption h3:not(:has-text("per second"))');
      await expect.poll(() => names.count(), soon).toBeGreaterThan(0);
      const lines = await names.evaluateAll((all) =>
        all.map((one) => {
          const range = one.ownerDocument.createRange();
          range.selectNodeContents(one);
          return range.getClientRects().length;
        }),
      );
      expect(new Set(lines)).toEqual(new Set([1]));
    },
  );

  test('a verdict with a long name stays inside of what is opened at 320 px', async () => {
    const { page } = await open(
      'troubled',
      { viewport: { width: 320, height: 800 } },
      '#/?chain=43112&interval=week&metric=activeAddresses',
    );
    const dialog = page.locator('dialog');
    await dialog.locator('select').selectOption('worst');
    await dialog.locator('tbody a').first().click();
    await expect.poll(() => dialog.locator('dd .c').textContent(), soon).toContain('served_week_underfilled');
    expect(await dialog.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
  });

  test('a link from elsewhere opens the explanation that it names', async () => {
    const { page } = await open('troubled', {}, '#x-43112-maxGasPrice-day');
    expect(await page.locator('#x-43112-maxGasPrice-day').getAttribute('open')).toBe('');
  });

  test.each(['differs', 'agrees'] as const)(
    'a cell that %s leads to its buckets, a bucket to its blocks',
    async (group) => {
      const { page, complaints } = await open('troubled');
      const metric = group === 'differs' ? 'txCount' : 'feesPaid';
      await page.locator(`.matrix a[data-go*="chain=43112&metric=${metric}&interval=day"]`).click();
      const dialog = page.locator('dialog');
      await expect.poll(() => dialog.locator('h2').textContent(), soon).toBe(`${metric} by day`);
      expect(await dialog.locator('.definition').textContent()).toContain(`sql/models/mart/metric_${metric}.sql`);
      if (group === 'differs') await dialog.locator('select').selectOption('worst');
      const first = dialog.locator('tbody tr').first();
      const bucket = await first.locator('a').textContent();
      const cells = await first.locator('td').allTextContents();
      await first.locator('a').click();
      await expect.poll(() => dialog.locator('h2').textContent(), soon).toBe(`${metric} by day, ${bucket}`);
      const told = await dialog.locator('dd').allTextContents();
      expect(told.slice(0, 4)).toEqual(cells.slice(0, 4));
      if (group === 'differs') expect(told[2]).toMatch(/^\+7 \(\+[\d.]+\s%\)$/);
      const sql = await dialog.locator('pre').allTextContents();
      expect(sql[0]).toBe(`firn reconcile --explain 43112 ${metric} ${bucket}`);
      expect(sql.at(-1)).toContain(
        `FROM mart.fct_transaction WHERE chain_id = '43112' AND block_time >= TIMESTAMP '${bucket}`,
      );
      await page.keyboard.press('Escape');
      expect(await dialog.isVisible()).toBe(false);
      expect(complaints).toEqual([]);
    },
  );

  /** A page on which the days of a metric were opened from the matrix, behind the place of the streams in the history. */
  async function openDays() {
    const { page } = await open('calm', {}, '#streams');
    const dialog = page.locator('dialog');
    await page.locator('.matrix a[data-go*="chain=43112&metric=txCount&interval=day"]').click();
    await expect.poll(() => dialog.isVisible(), soon).toBe(true);
    return { page, dialog, opened: page.url() };
  }

  test('back and on in the history close what was opened and open it again', async () => {
    const { page, dialog, opened } = await openDays();
    await page.goBack();
    await expect.poll(() => dialog.isVisible(), soon).toBe(false);
    expect(new URL(page.url()).hash).toBe('#streams');
    await page.goForward();
    expect(page.url()).toBe(opened);
    await expect.poll(() => dialog.isVisible(), soon).toBe(true);
    await page.keyboard.press('Escape');
    await expect.poll(() => new URL(page.url()).hash, soon).toBe('#/?chain=43112&interval=day');
  });

  test('who goes on in the history before the browser told that what was left is closed finds it open', async () => {
    const { page, dialog, opened } = await openDays();
    await page.evaluate(`new Promise((resolve) => {
      document.querySelector('dialog').addEventListener('close', resolve, { once: true });
      addEventListener('hashchange', () => location.replace('${new URL(opened).hash}'), { once: true });
      history.back();
    }).then(() => {})`);
    expect(page.url()).toBe(opened);
    await expect.poll(() => dialog.isVisible(), soon).toBe(true);
  });

  test('a value beyond all numbers of a browser leaves a gap in the plot, as one that is none', async () => {
    const data = await sampleReport();
    const drawn = (odd: string) =>
      drawnOf(data, 'day', (columns) => ({ ...columns, served: columns.served.replace(/^[^,]*,/, `${odd},`) }));
    expect(await drawn('1e999')).toBe(await drawn('?'));
    expect(await drawn('1e9')).not.toBe(await drawn('?'));
  });

  test.each([
    ['hour', [1500, 1501, 1502]],
    ['day', [22]],
    ['day', [20, 21, 23, 24]],
    ['week', [4]],
    ['month', [1]],
  ] as const)('neither line nor band leads over buckets by %s that are missing (%j)', async (interval, missing) => {
    const data = await sampleReport({ hourStep: 1, troubles: true });
    const [whole, absent, empty] = [
      await drawnOf(data, interval, (columns) => columns),
      await drawnOf(data, interval, (columns) => missing.reduceRight(withoutBucket, columns)),
      await drawnOf(data, interval, (columns) => missing.reduce(withoutValue, columns)),
    ];
    expect(absent).toBe(empty);
    expect(absent).not.toBe(whole);
  });

  test('a bucket without neighbours is seen as a dot', async () => {
    const data = await sampleReport();
    const drawn = (missing: readonly number[]) =>
      drawnOf(data, 'day', (columns) => missing.reduceRight(withoutBucket, columns));
    expect(await drawn([9, 11])).not.toBe(await drawn([9, 10, 11]));
  });

  test('a metric by an interval that it does not have says so', async () => {
    const { page } = await open('calm', {}, '#/?chain=43112&interval=hour&metric=contracts');
    const told = await page.locator('dialog p').allTextContents();
    expect(told).toContain('It has no buckets by hour: contracts is computed by day only.');
  });

  test('a metric that this version does not know has no file of firn', async () => {
    const { page } = await open('calm', {}, '#/?chain=43112&interval=day&metric=other');
    expect(await page.locator('dialog .definition p').allTextContents()).toEqual([
      'This version of firn has no definition of it.',
    ]);
  });

  test('SQL is copied by its button', async () => {
    const { page } = await open(
      'calm',
      { permissions: ['clipboard-read', 'clipboard-write'] },
      '#/?metric=txCount&bucket=2026-02-07',
    );
    const block = page.locator('dialog .sql').nth(1);
    await block.locator('button').click();
    await expect.poll(() => block.locator('button').textContent(), soon).toBe('Copied');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await block.locator('pre').textContent());
  });

  test('a served value alone is not passed off as the settled one', async () => {
    const { page } = await open('troubled', {}, '#/?chain=99999&interval=day');
    const figure = page.locator('figure', { has: page.locator('code', { hasText: /^contracts$/ }) });
    const headline = await figure.locator('.latest-value').allTextContents();
    expect(headline.join('')).toMatch(/^not covered, served [\d,]+ contracts provisional, /);
  });

  test('a bucket that is dated ahead is told among the buckets, and neither drawn nor the newest value', async () => {
    const data = await sampleReport();
    const { page: before } = await open('calm', {}, '#/?chain=43112&interval=hour');
    const report = renderReport({ ...data, series: data.series.map(withBucketAhead) });
    const { page } = await open('calm', {}, '#/?chain=43112&interval=hour', report);
    const told = (one: Page) => one.locator('#explorer .note, .latest-value').allTextContents();
    expect(await told(page)).toEqual(await told(before));
    await page.getByRole('button', { name: 'Everything' }).click();
    const note = page.locator('#explorer .note').first();
    await expect.poll(() => note.textContent(), soon).toBe('2026-01-20 to 2026-04-04, by hour.');
    await page.locator('figcaption a').first().click();
    await expect.poll(() => page.locator('dialog tbody a').first().textContent(), soon).toMatch(/^2126-/);
  });

  test('where every bucket lies ahead nothing is held of any day', async () => {
    const report = renderReport({ ...(await sampleReport()), generatedAt: 0 });
    const { page } = await open('calm', {}, '', report);
    expect(await page.locator('#explorer .note').first().textContent()).toBe('Nothing is held of these days.');
  });

  test('the value under the pointer is told with both differences and its blocks, and the page stays where it is', async () => {
    const { page } = await open('troubled');
    const figure = page.locator('figure', { hasText: /txCount/ }).last();
    await figure.scrollIntoViewIfNeeded();
    const before = await page.evaluate<number>('document.documentElement.scrollHeight');
    const box = await figure.locator('.u-over').boundingBox();
    if (!box) throw new Error('the plot is not shown');
    // 2026-02-11 is the 23rd of 75 days.
    await page.mouse.move(box.x + (box.width * 22) / 74, box.y + box.height / 2);
    const told = await figure.locator('.readout').textContent();
    expect(told).toMatch(
      /^2026-02-11: own [\d,]+, served [\d,]+, served − own \+7 \(\+[\d.]+\s%\), blocks 1585 – 1656, differs$/,
    );
    expect(await page.evaluate<number>('document.documentElement.scrollHeight')).toBe(before);
    await page.mouse.click(box.x + (box.width * 22) / 74, box.y + box.height / 2);
    await expect.poll(() => page.locator('dialog h2').textContent(), soon).toBe('txCount by day, 2026-02-11');
    expect(page.url()).toContain('#/?chain=43112&interval=day&metric=txCount&bucket=2026-02-11');
  });

  test('the keyboard goes from point to point and opens one', async () => {
    const { page } = await open('calm');
    const plot = page.getByRole('slider', { name: 'Transactions by day' });
    await plot.focus();
    await page.keyboard.press('End');
    expect(await plot.getAttribute('aria-valuetext')).toMatch(/^2026-04-04: .*provisional/);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('PageDown');
    expect(await plot.getAttribute('aria-valuetext')).toMatch(/^2026-03-24: /);
    expect(await plot.getAttribute('aria-valuenow')).toBe('63');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('dialog h2').textContent(), soon).toBe('txCount by day, 2026-03-24');
    await page.keyboard.press('Escape');
    expect(await page.locator('dialog').isVisible()).toBe(false);
    await plot.focus();
    await page.keyboard.press('Home');
    expect(await plot.getAttribute('aria-valuetext')).toMatch(/^2026-01-20: /);
  });

  test('a finger that moves sideways chooses a range, one that moves up scrolls', async () => {
    const { page } = await open('calm', { viewport: { width: 400, height: 800 }, hasTouch: true });
    const plot = page.locator('.u-over').first();
    await plot.scrollIntoViewIfNeeded();
    const box = await plot.boundingBox();
    if (!box) throw new Error('the plot is not shown');
    const session = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...touchPoints: { x: number; y: number }[]) =>
      session.send('Input.dispatchTouchEvent', { type, touchPoints });
    const move = async (x: number, y: number) => {
      await touch('touchStart', { x: box.x + 50, y: box.y + 60 });
      for (const step of [1, 2, 3, 4, 5]) {
        await touch('touchMove', { x: box.x + 50 + (x * step) / 5, y: box.y + 60 + (y * step) / 5 });
      }
      await touch('touchEnd');
    };
    await move(0, -50);
    expect(page.url()).not.toContain('from=');
    await page.evaluate('scrollTo(0, 0)');
    await plot.scrollIntoViewIfNeeded();
    Object.assign(box, await plot.boundingBox());
    await move(120, 0);
    await expect.poll(() => page.url(), soon).toMatch(/from=2026-\d\d-\d\d&to=2026-\d\d-\d\d$/);
  });

  test('chain, interval and range are chosen, and the address says so', async () => {
    const { page, complaints } = await open('troubled');
    await page.getByRole('radio', { name: 'hour' }).check();
    await expect.poll(() => page.locator('figure').count(), soon).toBe(4);
    await page.getByRole('combobox', { name: 'Chain' }).selectOption('99999');
    await expect.poll(() => page.url(), soon).toMatch(/#\/\?chain=99999&interval=hour$/);
    await page.getByRole('radio', { name: 'day' }).check();
    await expect.poll(() => page.locator('figure').count(), soon).toBe(17);
    const plot = page.locator('.u-over').first();
    await plot.scrollIntoViewIfNeeded();
    const box = await plot.boundingBox();
    if (!box) throw new Error('the plot is not shown');
    await page.mouse.move(box.x + box.width / 4, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + 40, { steps: 5 });
    await page.mouse.up();
    await expect.poll(() => page.url(), soon).toMatch(/#\/\?chain=99999&interval=day&from=2026-02-0\d&to=2026-02-2\d$/);
    const note = page.locator('#explorer .note').first();
    await expect.poll(() => note.textContent(), soon).toMatch(/^2026-02-0\d to 2026-02-2\d, by day\.$/);
    const range = await note.textContent();
    const other = await open('troubled', {}, new URL(page.url()).hash);
    expect(await other.page.locator('#explorer .note').first().textContent()).toBe(range);
    expect(await other.page.getByRole('combobox', { name: 'Chain' }).inputValue()).toBe('99999');
    await page.goBack();
    await expect.poll(() => page.url(), soon).toMatch(/#\/\?chain=99999&interval=day$/);
    await page.getByRole('radio', { name: 'hour' }).check();
    await expect.poll(() => note.textContent(), soon).toBe('2026-03-21 to 2026-04-04, by hour.');
    await page.getByRole('button', { name: 'Everything' }).click();
    await expect.poll(() => note.textContent(), soon).toBe('2026-01-20 to 2026-04-04, by hour.');
    await page.getByLabel('to', { exact: true }).fill('2026-02-01');
    await expect.poll(() => note.textContent(), soon).toBe('2026-01-20 to 2026-02-01, by hour.');
    expect(complaints).toEqual([]);
  });

  test.each([400, 1280])('verdicts, streams and quarantine are filtered by what is typed, at %d px', async (width) => {
    const { page } = await open('troubled', { viewport: { width, height: 800 } });
    await page.evaluate(openAll);
    await page.getByLabel('Filter verdicts').fill('maxGps rounded');
    expect(await page.locator('#explanations > .x:not([hidden])').allTextContents()).toEqual([
      expect.stringContaining('maxGps'),
    ]);
    const rows = page.locator('#streams > .wide tbody tr:visible');
    const all = await rows.count();
    await page.getByLabel('Filter streams').fill('nothing like it');
    expect(await page.locator('#streams tbody tr:visible').count()).toBe(0);
    expect(await page.locator('#streams .filter').textContent()).toMatch(/ 0 of \d+ rows$/);
    await page.getByLabel('Filter streams').fill('');
    expect([all, await rows.count()]).toEqual([4, 4]);
    await page.getByLabel('Filter streams').fill('node/containers');
    const partitions = page.locator('#streams details tbody tr:visible');
    expect([await rows.count(), await partitions.count()]).toEqual([1, 2]);
    await page.getByLabel('Filter quarantine').fill('gasUsed');
    expect(await page.locator('#quarantine > .x:visible').count()).toBe(1);
    expect(await page.locator('#quarantine tbody tr:visible').count()).toBe(0);
  });

  test('what is closed is open while it holds what a filter finds', async () => {
    const { page } = await open('troubled');
    const partitions = page.locator('#streams details tbody tr:visible');
    const field = page.getByLabel('Filter streams');
    for (const [words, rows] of [
      ['C/block', 1],
      ['nothing like it', 0],
      ['index_name', 2],
      ['', 0],
    ] as const) {
      await field.fill(words);
      await expect.poll(() => partitions.count(), soon).toBe(rows);
    }
  });

  test('at 400 px every column of every table is inside the page, under its name', async () => {
    const { page } = await open('troubled', { viewport: { width: 400, height: 800 } });
    await page.evaluate(openAll);
    const outside = await page.$$eval('table td, table th', (cells) =>
      cells
        .filter((cell) => cell.checkVisibility() && !cell.closest('thead') && cell.getBoundingClientRect().right > 400)
        .map((cell) => cell.textContent),
    );
    expect(outside).toEqual([]);
    const label = await page.evaluate(
      "getComputedStyle(document.querySelector('#streams tbody td'), '::before').content",
    );
    expect(label).toBe('"state"');
  });

  test.each([
    ['light', '', 1280],
    ['dark', '', 1280],
    ['light', '#/?metric=txCount', 400],
    ['dark', '#/?metric=txCount&bucket=2026-02-11', 1280],
    ['light', '#/?interval=hour', 400],
  ] as const)('axe finds nothing to say (%s, %j, %d px)', async (colorScheme, hash, width) => {
    const { page } = await open('troubled', { colorScheme, viewport: { width, height: 900 }, bypassCSP: true }, hash);
    if (hash === '') await page.evaluate(openAll);
    await page.addScriptTag({ path: axe });
    const violations = await page.evaluate<string[]>(
      `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ html }) => html).join(' | ')))`,
    );
    expect(violations).toEqual([]);
  });

  test('reads well to those who cannot see it', async () => {
    const { page } = await open('troubled');
    const problems = await page.evaluate<string[]>(accessProblems);
    expect(problems).toEqual([]);
  });

  test('prints with every explanation open, without controls, within the width of the paper', async () => {
    const { page } = await open('troubled', { colorScheme: 'dark', viewport: { width: 720, height: 1000 } });
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await page.evaluate("window.dispatchEvent(new Event('beforeprint'))");
    expect(await page.locator('details.x:not([open])').count()).toBe(0);
    expect(await page.locator('nav').isVisible()).toBe(false);
    expect(await page.evaluate<string>(background)).toBe('rgb(255, 255, 255)');
    expect(await page.evaluate<number>(overflow)).toBeLessThanOrEqual(0);
    expect(await page.evaluate<string[]>(faintTexts)).toEqual([]);
    await page.evaluate("window.dispatchEvent(new Event('afterprint'))");
    expect(await page.locator('details.x:not([open])').count()).toBeGreaterThan(0);
    const pdf = await page.pdf({ format: 'A4' });
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
  });

  test('without scripts it says the same', async () => {
    const { page, complaints } = await open('troubled', { javaScriptEnabled: false });
    expect(complaints.filter((complaint) => !complaint.startsWith('console'))).toEqual([]);
    expect(await page.locator('h1').textContent()).toContain('3 of 4,637 settled buckets differ');
    expect(await page.locator('.latest tbody tr:visible').count()).toBe(34);
  });
});
