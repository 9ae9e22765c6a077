import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { publish } from '../../src/publish/publish.ts';
import { answerQuery } from '../../src/report/query/answerQuery.ts';
import { hasChromium, openBrowser } from '../report/chromium.ts';
import { sampleWarehouse } from '../report/sampleWarehouse.ts';
import { temporary } from '../temporaryFolders.ts';
import { startFirn } from './firnProcess.ts';

const facts = `
CREATE TABLE mart.fct_block AS SELECT chain_id, "number", "timestamp" AS block_time, 2::BIGINT AS tx_count, 42000::BIGINT AS gas_used,
  ("number"::VARCHAR || '000000000000000000')::DECIMAL(38,0) AS fees_paid, 'hash ' || "number" AS hash FROM raw.node_evm_blocks;
CREATE TABLE mart.fct_transaction AS SELECT chain_id, "number", i::INTEGER AS tx_index, 'a"b,' || i AS from_address, NULL::VARCHAR AS to_address,
  block_time, 12345678901234567890123456789::DECIMAL(38,0) AS "value", gas_used, fees_paid AS fee_paid, hash
  FROM mart.fct_block, range(2) AS r(i) WHERE "number" <= 200;
CREATE VIEW mart.block_of_hash AS SELECT hash, chain_id, count(*) AS "rows" FROM mart.fct_block GROUP BY ALL;
CREATE VIEW mart.sums AS SELECT sum(1000000000000000001) AS one, [sum(1000000000000000001)] AS many, 1000000000000000001::UHUGEINT AS free;
CREATE VIEW mart.long AS SELECT i AS n, repeat('x', i) AS "text" FROM (VALUES (3), (10000), (10001)) AS v(i)`;

/** Processes and pages need a moment, on a busy machine a long one. */
const soon = { timeout: 60_000, interval: 50 };

let url: string;
let warehouse: string;
/** Where the server puts what does not last. */
let beside: string;
let stop: (() => Promise<void>) | undefined;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'firn-cli-'));
  const sample = await sampleWarehouse({ days: 12, folder: join(folder, 'warehouse') });
  warehouse = sample.folder;
  await sample.warehouse.run(facts);
  await publish(sample.warehouse, { runId: 'r2' });
  sample.warehouse.close();
  const config = join(folder, 'firn.yaml');
  await writeFile(config, 'warehouse: ./warehouse\nsources: {}\npipelines: {}\n');
  beside = join(folder, 'tmp');
  await mkdir(beside);
  const env = { TMPDIR: beside };
  const { child, ended, written } = startFirn(['--config', config, '--json', 'serve', '--port', '0'], { env });
  stop = async () => {
    child.kill('SIGINT');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  while (!written.stdout.includes('}')) await setTimeout(20);
  url = (JSON.parse(written.stdout) as { url: string }).url;
}, 120_000);

afterAll(() => stop?.());

const get = (path: string, parameters: Record<string, string> = {}, headers: Record<string, string> = {}) =>
  fetch(`${url}${path}?${new URLSearchParams(parameters)}`, { headers });

describe('a table', () => {
  test('is listed, and shown a page at a time', { tags: 'long' }, async () => {
    const listed = (await (await get('/tables')).text()).matchAll(/href="\/tables\/(\w+)\.\w+"/g);
    expect([...new Set(Array.from(listed, ([, schema]) => schema))]).toEqual(['mart', 'raw', 'firn']);
    const page = await fetch(
      `${url}/tables/mart.fct_block.json?c=number&o=ge&v=10&c=chain_id&o=eq&v=43112&sort=-number&from=2&most=2&column=number&column=fees_paid`,
    );
    expect(await page.json()).toEqual({
      names: ['number', 'fees_paid'],
      types: ['BIGINT', 'DECIMAL(38,0)'],
      rows: [
        ['4997', '4997000000000000000000'],
        ['4996', '4996000000000000000000'],
      ],
      more: true,
    });
    const shown = await (await get('/tables/mart.fct_block', { c: 'number', o: 'lt', v: '3' })).text();
    expect(shown).toContain('Rows 1 to 4</caption>');
    expect(shown).toContain('<option value="lt" selected>');
  });

  test.each(['.csv', '.json', '.parquet'])('says why it cannot be downloaded as %s', async (kind) => {
    const answer = await get(`/tables/mart.fct_block${kind}`, { c: 'number', o: 'ge', v: 'abc' });
    expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining('abc')]);
  });

  test('says what to do where its files are gone', async () => {
    const files = join(warehouse, 'lake', 'mart', 'fct_transaction');
    await rename(files, `${files}.away`);
    const answers = await Promise.all(['', '.json', '.csv'].map((kind) => get(`/tables/mart.fct_transaction${kind}`)));
    await rename(`${files}.away`, files);
    expect(answers.map(({ status }) => status)).toEqual([200, 422, 422]);
    for (const answer of answers) expect(await answer.text()).toMatch(/Run `firn publish`: it writes them again\./);
  });

  test.each([
    ['mart.fct_block', 'tx_count'],
    ['mart.block_of_hash', ''],
  ])('shows every row of a chain in %s once over its pages, sorted by "%s"', { tags: 'long' }, async (table, sort) => {
    const shown: string[] = [];
    const chain = { c: 'chain_id', o: 'eq', v: '43112', sort, most: '1000' };
    for (let more = true; more; ) {
      const page = await get(`/tables/${table}.json`, { ...chain, from: String(shown.length) });
      const found = (await page.json()) as { rows: unknown[]; more: boolean };
      shown.push(...found.rows.map((row) => JSON.stringify(row)));
      more = found.more;
    }
    expect([shown.length, new Set(shown).size]).toEqual([4999, 4999]);
  });

  test.each([
    ['2026-01-20T03:20:00+02:00', 4],
    ['2026-01-20T00:20:00-02:00', 7],
    ['2026-01-20T02:20:00Z', 7],
    ['2026-01-20 02:20', 7],
    ['2026-01-21', 72],
  ])('finds the first block from %s on', async (time, number) => {
    const asked = { c: 'block_time', o: 'ge', v: time, sort: 'number', most: '1', column: 'number' };
    expect(await (await get('/tables/mart.fct_block.json', asked)).json()).toMatchObject({ rows: [[String(number)]] });
  });

  test('says which values it cut', async () => {
    const asked = { sort: 'n' };
    const { rows, ...told } = (await (await get('/tables/mart.long.json', asked)).json()) as { rows: string[][] };
    expect(rows.map(([, text]) => text?.length)).toEqual([3, 10_000, 10_000]);
    expect(told).toMatchObject({ more: false, cut: [{ row: 2, column: 1, characters: 10_001 }] });
    const page = await (await get('/tables/mart.long', asked)).text();
    expect(page.match(/x…[^)]*\)/g)).toEqual(['x… <small>(cut: it has 10,001 characters)']);
  });

  test('takes an empty value for the empty text, but for an empty row of the form on its page', {
    tags: 'long',
  }, async () => {
    const asked = { c: 'hash', o: 'eq', v: '' };
    expect(await (await get('/tables/mart.fct_block.json', asked)).json()).toMatchObject({ rows: [] });
    expect((await (await get('/tables/mart.fct_block.csv', asked)).text()).split('\r\n')).toHaveLength(2);
    const page = await (await get('/tables/mart.fct_block', asked)).text();
    expect(page).toContain('Rows 1 to 50</caption>');
    expect(page).toContain('href="/tables/mart.fct_block.csv"');
  });

  test('says what is wrong with what is asked', async () => {
    const wrong = await get('/tables/mart.fct_block.json', { sort: 'none' });
    expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining('There is no column "none"')]);
    expect((await get('/tables/mart.fct_block.csv', { sort: 'none' })).status).toBe(400);
    const odd = await get('/tables/mart.fct_block.json', { c: 'number', o: 'eq', v: 'x' });
    expect([odd.status, await odd.text()]).toEqual([422, expect.stringContaining("Could not convert string 'x'")]);
    expect((await get('/tables/mart.none')).status).toBe(404);
    const foreign = { 'sec-fetch-site': 'cross-site' };
    expect((await get('/tables/mart.fct_block.csv', {}, foreign)).status).toBe(403);
  });

  test.each([
    [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' }, 403],
    [{ 'sec-fetch-site': 'same-site', 'sec-fetch-dest': 'iframe' }, 403],
    [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' }, 200],
    [{ 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'empty' }, 200],
    [{}, 200],
  ])('is asked by a page elsewhere only through a link: to %j its page answers %d', async (headers, status) => {
    expect((await get('/tables/mart.long', { sort: '-n' }, headers)).status).toBe(status);
  });

  test('is downloaded as CSV: NULL is nothing, quotes are doubled, every digit is there', async () => {
    const answer = await get('/tables/mart.fct_transaction.csv', { c: 'number', o: 'eq', v: '7', sort: 'tx_index' });
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="mart.fct_transaction.csv"');
    const lines = (await answer.text()).split('\r\n');
    expect(lines[0]).toBe('chain_id,number,tx_index,from_address,to_address,block_time,value,gas_used,fee_paid,hash');
    expect(lines[1]).toMatch(
      /^(43112|99999),7,0,"a""b,0",,2026-01-20 02:20:00,12345678901234567890123456789,42000,7000000000000000000,hash 7$/,
    );
    expect(lines).toHaveLength(6);
  });

  test('is downloaded as Parquet, with its types, and nothing is left behind', async () => {
    const answer = await get('/tables/mart.fct_transaction.parquet', { c: 'number', o: 'le', v: '10' });
    const file = join(await temporary(), 'x.parquet');
    await writeFile(file, Buffer.from(await answer.arrayBuffer()));
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    const read = await connection.runAndReadAll(
      `SELECT count(*)::INTEGER, any_value(typeof("value")), min("value")::VARCHAR FROM read_parquet('${file}')`,
    );
    expect(read.getRows()).toEqual([[40, 'DECIMAL(38,0)', '12345678901234567890123456789']]);
    connection.closeSync();
    instance.closeSync();
    await expect.poll(() => readdir(beside), soon).toEqual([]);
  });

  test('keeps every digit of sums in Parquet, also inside of lists', async () => {
    const file = join(await temporary(), 'x.parquet');
    await writeFile(file, Buffer.from(await (await get('/tables/mart.sums.parquet')).arrayBuffer()));
    const instance = await DuckDBInstance.create(':memory:');
    onTestFinished(() => instance.closeSync());
    const read = await (await instance.connect()).runAndReadAll(`SELECT CAST(COLUMNS(*) AS VARCHAR) FROM '${file}'`);
    expect(read.getRows()).toEqual([['1000000000000000001', '[1000000000000000001]', '1000000000000000001']]);
  });
});

test('what is too old by the configuration is told to a monitor', { tags: 'long' }, async () => {
  const config = join(await temporary(), 'firn.yaml');
  const notify = '{ webhook: "http://127.0.0.1:9/", staleAfter: 1s }';
  await writeFile(config, `warehouse: ${warehouse}\nsources: {}\npipelines: {}\nnotify: ${notify}\n`);
  const { child, ended, written } = startFirn(['--config', config, '--json', 'serve', '--port', '0']);
  onTestFinished(async () => {
    child.kill('SIGINT');
    await ended;
  });
  while (!written.stdout.includes('}')) await setTimeout(20);
  const served = (JSON.parse(written.stdout) as { url: string }).url;
  expect(await (await fetch(`${served}/metrics`)).text()).toContain('\nfirn_health_exit_code 75\n');
});

describe('SQL', () => {
  const run = async (q: string, headers?: Record<string, string>) => {
    const page = await (await get('/sql', { q }, headers)).text();
    return {
      bad: /<p class="bad"[^>]*>(.*?)<\/p>/s.exec(page)?.[1]?.replaceAll('&#39;', "'"),
      caption: /class="rows"><caption>(.*?)<\/caption>/.exec(page)?.[1],
      cells: [...page.matchAll(/<td[^>]*>(?:<span class="null">)?([^<\n]*)/g)].map(([, text]) => text),
    };
  };

  /** What the process of a query does, in this one. */
  async function answered(sql: string, folder = warehouse): Promise<string> {
    let text = '';
    const limits = { from: 0, most: 10, longest: 100, time: 60_000, threads: 1, memory: 200, processMemory: 2000 };
    await answerQuery({ folder, sql, as: 'rows', ...limits }, async (piece) => {
      text += piece;
    });
    return text;
  }

  test('reads the files that the views name, also where they name the folder by another path', async () => {
    const folder = await temporary();
    await copyFile(join(warehouse, 'analytics.duckdb'), join(folder, 'analytics.duckdb'));
    await expect(answered('SELECT count(*) FROM mart.fct_block', folder)).rejects.toThrow('disabled by configuration');
    await symlink(join(warehouse, 'lake'), join(folder, 'lake'));
    expect(await answered('SELECT count(*) FROM mart.fct_block', folder)).toContain('"9998"');
  });

  test('gives rows with all their digits, and says when there are more', { tags: 'long' }, async () => {
    expect(await run('SELECT 12345678901234567890123456789::DECIMAL(38,0) AS a, NULL AS a, [1, 2] AS b;')).toEqual({
      bad: undefined,
      caption: '1 row',
      cells: ['12345678901234567890123456789', 'NULL', '[1, 2]'],
    });
    expect((await run('FROM range(5000)')).caption).toBe('1,000 rows; there are more');
    expect((await run('FROM mart.fct_block ORDER BY "number" DESC LIMIT 1 -- the last')).cells[1]).toBe('4999');
  });

  test.each([
    ['cross-site', undefined],
    ['same-site', undefined],
    ['same-origin', '1 row'],
    ['none', '1 row'],
  ])('a page elsewhere cannot make it run (%s)', async (site, caption) => {
    expect((await run('SELECT 1', { 'sec-fetch-site': site })).caption).toBe(caption);
  });

  test('what reaches beyond the published tables is refused, and nothing is written', { tags: 'long' }, async () => {
    const lake = join(warehouse, 'lake');
    const state = async () => {
      const entries = await readdir(warehouse, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
      const hashes = files.sort().map(async (file) => [
        file,
        createHash('sha256')
          .update(await readFile(file))
          .digest('hex'),
      ]);
      return Promise.all(hashes);
    };
    const before = await state();
    const attacks: [string, string][] = [
      [`COPY (SELECT 1) TO '${lake}/x.csv'`, 'Only SELECT'],
      [`ATTACH '${lake}/x.db'`, 'Only SELECT'],
      ['INSTALL httpfs', 'Only SELECT'],
      ['LOAD icu', 'Only SELECT'],
      ['PRAGMA database_list', 'Only SELECT'],
      ['SET lock_configuration = false', 'Only SELECT'],
      ['CREATE TABLE mart.x AS SELECT 1', 'Only SELECT'],
      ["CALL enable_logging(storage = 'file')", 'Only SELECT'],
      [`SELECT 1; COPY (SELECT 1) TO '${lake}/x.csv'`, 'Only SELECT'],
      ['SELECT 1; SELECT 2', 'One statement'],
      ['SELECT 1) UNION (SELECT 2', 'Parser Error'],
      ["FROM read_text('/etc/passwd')", 'the function read_text'],
      [`FROM read_blob('${lake}/_manifest.json')`, 'the function read_blob'],
      [`FROM '${lake}/_manifest.json'`, 'the file'],
      [`FROM enable_profiling(save_location = '${lake}/_manifest.json')`, 'the function enable_profiling'],
      [`FROM enable_logging(storage = 'file', storage_path = '${lake}/log')`, 'the function enable_logging'],
      [`FROM query('COPY (SELECT 1) TO ''${lake}/x.csv''')`, 'the function query'],
      ["SELECT getenv('HOME')", 'getenv does not exist'],
      ["SELECT current_setting('secret_directory'), getvariable('x'), error('told')", 'told'],
    ];
    const refusal = (sql: string) => answered(sql).catch(({ message }) => message);
    // A few in a process, too: to start it takes longer than to refuse.
    for (const [place, [sql, said]] of attacks.entries()) {
      expect([sql, await refusal(sql)]).toEqual([sql, expect.stringContaining(said)]);
      if (place % 6 === 0) expect([sql, (await run(sql)).bad]).toEqual([sql, expect.stringContaining(said)]);
    }
    expect(await state()).toEqual(before);
  });

  test.each([
    ['a number beyond all doubles', 'SELECT 1e400', 'inf'],
    ['a text with one', `SELECT count(*) FROM mart.fct_block WHERE '", -Infinity' <> '' AND tx_count < 1e999`, '9998'],
    ['a pivot with its values', 'FROM (PIVOT mart.long ON n IN (3, 4) USING max("text"))', 'xxx'],
    ['a text that ends twice', "SELECT ';' || 1; -- one\n;", ';1'],
    ['a long text', `SELECT 1 -- ${'x'.repeat(100_000)}`, '1'],
  ])('%s is answered', async (_, sql, cell) => {
    expect((await run(sql)).cells).toContain(cell);
  });

  test.each([
    ['a value that nobody gives', 'SELECT ?', 'Nothing gives a value to $1'],
    ['one of two', 'SELECT $1, $2', 'Nothing gives a value to $1'],
    ['one with a name', 'FROM mart.fct_block WHERE "number" = $height', 'Nothing gives a value to $height'],
    ['a pivot without its values', 'PIVOT mart.long ON n USING max("text")', 'PIVOT needs the values'],
    [
      'too much to show',
      "SELECT repeat('x', 10000) AS a, a AS b FROM range(1000)",
      'These rows have 21 million characters',
    ],
    ['many brackets', `SELECT ${'('.repeat(50_000)}`, 'Parser Error'],
    ['many quotes', `FROM read_text('${'"'.repeat(50_000)}')`, 'the function read_text'],
    ['a long sum', `SELECT 1${'+1'.repeat(50_000)}`, 'Max expression depth'],
  ])('%s is refused in words', { tags: 'long' }, async (_, sql, said) => {
    expect((await run(sql)).bad).toContain(said);
  });

  test('what takes too much memory is ended, and the server goes on', { tags: 'long' }, async () => {
    expect((await run('SELECT list_sum(range(2000000000))')).bad).toMatch(/more than \d+ MB|Out of Memory/);
    expect(await (await get('/healthz')).text()).toBe('ok\n');
  });

  test('a query of somebody who left before it began does not begin', { tags: 'long' }, async () => {
    const { hostname, port, host } = new URL(url);
    for (let left = 0; left < 6; left++) {
      const socket = connect(Number(port), hostname);
      socket.write(`GET /sql?q=SELECT+sleep_ms(9000) HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
      await setTimeout(0);
      socket.destroy();
    }
    await setTimeout(300);
    expect((await get('/sql', { q: 'SELECT 1' })).status).toBe(200);
  });

  test('a query ends when nobody waits for it any more: others find room', async () => {
    const gone = new AbortController();
    // Until all room is theirs, also where another query had some when they came.
    const slow = Array.from({ length: 4 }, async () => {
      while (!gone.signal.aborted)
        await fetch(`${url}/sql?${new URLSearchParams({ q: 'SELECT sleep_ms(9000)' })}`, { signal: gone.signal }).catch(
          () => {},
        );
    });
    await expect.poll(async () => (await get('/sql', { q: 'SELECT 1' })).status, soon).toBe(503);
    gone.abort();
    await Promise.all(slow);
    await expect.poll(async () => (await get('/sql', { q: 'SELECT 1' })).status, soon).toBe(200);
  });
});

describe.skipIf(!hasChromium)('in a browser', () => {
  const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  }, 120_000);
  afterAll(() => browser?.close());

  async function open(path: string, options: { width?: number; dark?: boolean; bypassCSP?: boolean } = {}) {
    const context = await browser.newContext({
      viewport: { width: options.width ?? 1280, height: 900 },
      colorScheme: options.dark ? 'dark' : 'light',
      bypassCSP: options.bypassCSP ?? false,
    });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(`console: ${message.text()}`));
    page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
    page.on('request', (request) => {
      if (!request.url().startsWith(url) && !request.url().startsWith('data:'))
        complaints.push(`request: ${request.url()}`);
    });
    await page.goto(`${url}${path}`);
    return { page, complaints };
  }

  const violations = async (page: Page) => {
    await page.addScriptTag({ path: axe });
    return page.evaluate<string[]>(
      `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ html }) => html).join(' | ')))`,
    );
  };

  test('a point leads to its blocks and transactions, page by page', { tags: 'long' }, async () => {
    const { page, complaints } = await open('/#/?chain=43112&interval=day&metric=txCount&bucket=2026-01-21');
    const blocks = page.locator('dialog .pager').first();
    await expect.poll(() => blocks.locator('tbody tr').count(), soon).toBe(20);
    expect(await blocks.locator('tbody tr').first().locator('th,td').allTextContents()).toEqual([
      '72',
      '2026-01-21 00:00:00',
      '2',
      '42000',
      '72000000000000000000',
      'hash 72',
    ]);
    await blocks.getByRole('button', { name: 'Next' }).click();
    await expect.poll(() => blocks.locator('tbody th').first().textContent(), soon).toBe('92');
    await page.getByRole('link', { name: 'filter, sort, download' }).last().click();
    await page.waitForURL(/\/tables\/mart\.fct_transaction\?/);
    expect(await page.locator('caption').textContent()).toBe('Rows 1 to 50');
    expect(complaints).toEqual([]);
  });

  test('a page of rows that was refused is asked for again, and none is passed over', { tags: 'long' }, async () => {
    const { page } = await open('/#/?chain=43112&interval=day&metric=txCount&bucket=2026-01-21');
    const blocks = page.locator('dialog .pager').first();
    const first = () => blocks.locator('tbody th').first().textContent();
    await expect.poll(first, soon).toBe('72');
    const busy = '**/tables/mart.fct_block.json*';
    await page.route(busy, (route) => route.fulfill({ status: 503, body: '4 queries are running already.' }));
    await blocks.getByRole('button', { name: 'Next' }).click();
    await expect.poll(() => blocks.getByRole('status').textContent(), soon).toContain('4 queries are running');
    await page.unroute(busy);
    await blocks.getByRole('button', { name: 'Next' }).click();
    await expect.poll(first, soon).toBe('92');
    await page.route(busy, (route) => route.abort());
    await blocks.getByRole('button', { name: 'Previous' }).click();
    await blocks.getByRole('button', { name: 'Try again' }).waitFor();
    await page.unroute(busy);
    await blocks.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(first, soon).toBe('72');
  });

  test('a table is filtered and a query is run by keyboard alone', { tags: 'long' }, async () => {
    const { page, complaints } = await open('/tables/mart.fct_block');
    await page.getByLabel('Value').first().fill('43112');
    await page.keyboard.press('Enter');
    await page.waitForURL(/v=43112/);
    expect(await page.locator('tbody tr').count()).toBe(50);
    await page.getByRole('link', { name: 'ask on in SQL' }).click();
    await page.getByLabel('One SELECT').fill('SELECT count(*) FROM mart.fct_block');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.rows td').first().textContent(), soon).toBe('9998');
    expect(complaints).toEqual([]);
  });

  test('a long value is broken into lines: the columns after it stay near, and a hash stays on one line', {
    tags: 'long',
  }, async () => {
    const sql = "SELECT repeat('f', 9999) AS input, repeat('f', 66) AS hash";
    const { page } = await open(`/sql?q=${encodeURIComponent(sql)}`);
    expect((await page.locator('.rows td').first().boundingBox())?.width).toBeLessThan(1280);
    const lines = await page.evaluate<number>(
      `(range => (range.selectNodeContents(document.querySelectorAll('.rows td')[1]), range.getClientRects().length))(document.createRange())`,
    );
    expect(lines).toBe(1);
  });

  test.each(['/tables/mart.fct_block.json?sort=none', '/nothing', '/metrics'])(
    '%s is a text as wide as the screen, and the browser has nothing to say of its style',
    async (path) => {
      const { page, complaints } = await open(path, { width: 320 });
      expect(
        await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth'),
      ).toBeLessThanOrEqual(0);
      expect(complaints.filter((said) => said.includes('Content Security Policy'))).toEqual([]);
    },
  );

  test.each([
    ['/tables', 1280, false],
    ['/tables/mart.fct_block', 400, true],
    ['/sql?q=SELECT+1+AS+one', 400, false],
    ['/sql?q=SELEC', 1280, true],
    ['/#/?metric=txCount&bucket=2026-01-21', 1280, true],
  ])(
    'axe finds nothing to say of %s (%d px), and it is as wide as the screen',
    { tags: 'long' },
    async (path, width, dark) => {
      const { page } = await open(path, { width, dark, bypassCSP: true });
      await page.waitForLoadState('networkidle');
      expect(await violations(page)).toEqual([]);
      expect(
        await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth'),
      ).toBeLessThanOrEqual(0);
    },
  );
});
