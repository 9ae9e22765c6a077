import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { renderReport } from '../../src/report/renderReport.ts';
import { temporaryFolder } from '../load/temporaryWarehouse.ts';
import { hasChromium, openBrowser } from './chromium.ts';
import { accessProblems, background, faintTexts, numberTargets, openAll, overflow } from './pageProbes.ts';
import { sampleReport } from './sampleReport.ts';

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

async function open(which: keyof typeof pages, options: BrowserContextOptions = {}, hash = ''): Promise<Opened> {
  const file = join(await temporaryFolder(), 'report.html');
  await writeFile(file, pages[which]);
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (!/^(file|data):/.test(request.url())) complaints.push(`request: ${request.url()}`);
  });
  page.on('dialog', (dialog) => complaints.push(`dialog: ${dialog.message()}`));
  await page.goto(`${pathToFileURL(file).href}${hash}`);
  return { page, complaints };
}

describe.skipIf(!hasChromium)('in a browser', () => {
  describe.each(['calm', 'troubled'] as const)('the %s report', (which) => {
    test.each(['light', 'dark'] as const)('loads nothing and complains of nothing (%s)', async (colorScheme) => {
      const { page, complaints } = await open(which, { colorScheme });
      await page.evaluate(openAll);
      expect(complaints).toEqual([]);
      expect(await page.title()).toBe('firn report: local');
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
    const summary = page.locator('figure summary').first();
    await summary.focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Shift+Tab');
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
    await page.keyboard.press('Enter');
    expect(await page.locator('figure details').first().getAttribute('open')).toBe('');
    expect(await page.locator('figure table').first().isVisible()).toBe(true);
  });

  test('the skip link leads to the verdicts', async () => {
    const { page } = await open('calm');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement?.textContent')).toBe('Skip to the verdicts');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement?.id')).toBe('main');
  });

  test('a cell leads to its explanation, which opens; so does a link from elsewhere', async () => {
    const { page } = await open('troubled');
    const target = page.locator('#x-43112-cumulativeContracts-day');
    expect(await target.getAttribute('open')).toBeNull();
    await page.locator('a[href="#x-43112-cumulativeContracts-day"]').click();
    await expect.poll(() => target.getAttribute('open')).toBe('');
    const other = await open('troubled', {}, '#x-43112-maxGasPrice-day');
    expect(await other.page.locator('#x-43112-maxGasPrice-day').getAttribute('open')).toBe('');
  });

  test('the value under the pointer is told, as it stands in the table', async () => {
    const { page } = await open('calm');
    const figure = page.locator('figure').first();
    const plot = figure.locator('svg[role]');
    await plot.scrollIntoViewIfNeeded();
    const box = await plot.boundingBox();
    if (!box) throw new Error('the plot is not shown');
    await page.mouse.move(box.x + box.width * 0.99, box.y + box.height / 2);
    const [bucket, own] = await figure
      .locator('tbody tr')
      .last()
      .evaluate((row) => [...row.children].map((cell) => cell.textContent));
    expect(await figure.locator('.readout').textContent()).toBe(
      `${bucket}: own ${own}, served the same, served_provisional`,
    );
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
    expect(await page.locator('figure').count()).toBeGreaterThanOrEqual(34);
  });
});
