import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { mainFile } from '../../src/load/packageFiles.ts';
import { builtFile } from '../../src/report/builtFile.ts';
import { type Project, project } from './cliHarness.ts';
import { runFirn } from './firnProcess.ts';
import { publishedSample } from './publishedSample.ts';
import { queryFile } from './queryFile.ts';

let sample: Project;
beforeAll(async () => {
  sample = await publishedSample();
});

/** Amounts that a double does not hold, an empty text and none, and a text that has to be quoted. */
const odd = `SELECT * FROM (VALUES
  (1, 123456789012345678901234567890.25::DECIMAL(38,2), ''), (2, NULL, NULL), (3, 0, 'a "b", c')) AS t(id, amount, "text") ORDER BY id`;

test('rows come as a table, as JSON and as CSV, with every digit', { tags: 'long' }, async () => {
  const { code, out } = await sample.firn('query', odd);
  expect([code, out.split('\n')]).toEqual([
    0,
    [
      'id                             amount  text',
      ' 1  123456789012345678901234567890.25',
      ' 2                               NULL  NULL',
      ' 3                               0.00  a "b", c',
      '',
    ],
  ]);
  expect((await sample.firn('--json', 'query', odd)).json).toEqual({
    names: ['id', 'amount', 'text'],
    types: ['INTEGER', 'DECIMAL(38,2)', 'VARCHAR'],
    rows: [
      ['1', '123456789012345678901234567890.25', ''],
      ['2', null, null],
      ['3', '0.00', 'a "b", c'],
    ],
    more: false,
  });
  expect((await sample.firn('query', odd, '--csv')).out).toBe(
    'id,amount,text\r\n1,123456789012345678901234567890.25,""\r\n2,,\r\n3,0.00,"a ""b"", c"\r\n',
  );
});

test('a row of one NULL is no empty line of CSV, which readers pass over', async () => {
  expect((await sample.firn('query', "SELECT unnest([NULL, 'a', '']) AS x", '--csv')).out).toBe(
    'x\r\n""\r\na\r\n""\r\n',
  );
});

test.each(['-- a comment\nSELECT 1 AS n', '--a comment, a = b\nSELECT 1 AS n'])('%j is a query, too', async (sql) => {
  expect((await sample.firn('--json', 'query', sql)).json).toMatchObject({ rows: [['1']] });
});

test('no table outside of a schema is no end: where they lie is said', { tags: 'long' }, async () => {
  expect((await sample.firn('query', 'SHOW TABLES;')).err).toMatch(/SHOW TABLES FROM mart/);
  expect((await sample.firn('query', 'SELECT 1 WHERE false')).err).toBe('');
  expect((await sample.firn('query', 'SHOW TABLES FROM mart')).out).toMatch(/^reconciliation$/m);
});

test('what fails while it runs is told without the query that firn makes around it', { tags: 'long' }, async () => {
  for (const way of [[], ['--csv']]) {
    const { code, err } = await sample.firn('query', "SELECT CAST('x' AS INT) AS n", ...way);
    expect([code, err]).toEqual([2, "firn: Conversion Error: Could not convert string 'x' to INT32\n"]);
  }
  expect((await sample.firn('query', 'SELECT foo FROM mart.metric')).err).toMatch(/LINE 1: SELECT foo/);
});

test('more rows than are printed are said, and a file has all of them', { tags: 'long' }, async () => {
  const all = 'SELECT range AS n FROM range(1000)';
  const { out, err } = await sample.firn('query', all);
  expect(out.split('\n')).toHaveLength(102);
  expect(err).toBe('These are the first 100 rows: --limit gives more, --csv and --out give all.\n');
  expect((await sample.firn('query', all, '--limit', '1000')).err).toBe('');
  const [csv, link, parquet] = ['rows.csv', 'link.csv', 'rows.PARQUET'].map((name) => join(sample.folder, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(csv, 'before');
  await symlink(csv, link);
  expect((await sample.firn('query', all, '--out', link)).out).toBe(`Written: ${csv}\n`);
  expect((await readFile(csv, 'utf8')).split('\r\n')).toHaveLength(1002);
  expect((await sample.firn('--json', 'query', all, '-o', parquet)).json).toEqual({ file: parquet });
  expect(
    await queryFile(join(sample.warehouse, 'analytics.duckdb'), `SELECT count(*)::INT AS n FROM '${parquet}'`),
  ).toEqual([{ n: 1000 }]);
  expect((await readdir(sample.folder)).filter((name) => name.startsWith('.'))).toEqual([]);
});

test('columns of one name keep their own values in a file, too', async () => {
  const parquet = join(sample.folder, 'twins.parquet');
  await sample.firn(
    'query',
    `SELECT 1 AS n, 2::HUGEINT AS n, [3::HUGEINT] AS "N", 4 AS "a b", {'HUGEINT': 5} AS s`,
    '--out',
    parquet,
  );
  const rows = await queryFile(
    join(sample.warehouse, 'analytics.duckdb'),
    `SELECT COLUMNS(*)::VARCHAR FROM '${parquet}'`,
  );
  expect(rows).toEqual([{ n: '1', n_1: '2', N_2: '[3]', 'a b': '4', s: "{'HUGEINT': 5}" }]);
});

test('a disk that takes no more of a file is no fault of the query', { tags: 'long' }, async () => {
  const many = 'SELECT hash(range) AS h FROM range(100000)';
  for (const name of ['full.csv', 'full.parquet']) {
    const args = ['--config', sample.config, 'query', many, '--out', join(sample.folder, name)];
    expect(await runFirn(args, { fileBlocks: 64 })).toMatchObject({
      code: 73,
      stderr: expect.stringMatching(`^firn: (?=.*${name}).*the disk is full. Free some space`),
    });
  }
  expect((await readdir(sample.folder)).filter((name) => /full|^\./.test(name))).toEqual([]);
});

test.each([
  ['SHOW TABLES FROM mart', /^name\n[\s\S]*^metric$/m],
  ['show all tables;', /^database +schema +name[\s\S]* mart +metric /m],
  ['DESCRIBE mart.metric', /^metric +VARCHAR/m],
  ['SUMMARIZE mart.metric', /^chain_id +VARCHAR/m],
  ["SELECT 1 AS one; -- what's more", /^one\n +1$/m],
  ['SELECT 1 AS one; /* what is\nmore; */', /^one\n +1$/m],
])('what a shell is asked first is answered, too: %s', async (sql, shown) => {
  const { code, out, err } = await sample.firn('query', sql);
  expect([code, err, out]).toEqual([0, '', expect.stringMatching(shown)]);
});

test.each([
  ['SELEC 1', 2, /Parser Error: syntax error at or near "SELEC"/],
  ['FROM mart.nothing', 2, /Table with name nothing does not exist/],
  ['DROP TABLE mart.metric', 2, /Only SELECT is allowed/],
  ["FROM read_csv('/etc/passwd')", 2, /only published tables/],
  ["DESCRIBE '/etc/passwd'", 2, /only published tables/],
  ["SUMMARIZE FROM read_text('/etc/passwd')", 2, /only published tables/],
  ['SELECT 1; SELECT 2', 2, /One statement at a time/],
  ['-- nothing yet', 2, /query is empty/],
  ["SELECT error('no')", 2, /no/],
])('what cannot be answered is told: %s', { tags: 'long' }, async (sql, code, why) => {
  for (const way of [[], ['--csv'], ['--out', join(sample.folder, 'never.csv')]])
    expect(await sample.firn('query', sql, ...way)).toMatchObject({ code, out: '', err: expect.stringMatching(why) });
  expect(await readdir(sample.folder)).not.toContain('never.csv');
});

test('so is a file that cannot be written, and nothing to ask', async () => {
  expect(await sample.firn('query', 'SELECT 1', '--out', join(sample.folder, 'rows.txt'))).toMatchObject({ code: 2 });
  const nowhere = join(sample.folder, 'nowhere', 'rows.csv');
  expect(await sample.firn('query', 'SELECT 1', '--out', nowhere)).toMatchObject({
    code: 73,
    err: expect.stringContaining(`Could not write ${nowhere}: ENOENT`),
  });
  const folder = join(sample.folder, 'folder.csv');
  await mkdir(folder);
  expect(await sample.firn('query', 'SELECT 1', '--out', folder)).toMatchObject({ code: 73 });
  expect(await sample.firn('--json', 'query', 'SELECT 1', '--csv')).toMatchObject({ code: 2 });
  const { firn } = await project({ sources: {} });
  expect(await firn('query', 'SELECT 1')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/Nothing was published/),
  });
});

/** The same by a shell, with standard streams of its own. */
async function shell(line: string) {
  const child = spawn('bash', ['-o', 'pipefail', '-c', line], {
    env: { ...process.env, FIRN: `${process.execPath} ${mainFile()} --config ${sample.config}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, out, err };
}

test('it reads stdin, and ends well where its reader has seen enough', { tags: 'long' }, async () => {
  expect(await shell('echo "SELECT 7 AS n;" | $FIRN query -')).toEqual({ code: 0, out: 'n\n7\n', err: '' });
  expect(await shell('$FIRN query "FROM range(10000000)" --csv | head -n 1')).toEqual({
    code: 0,
    out: 'range\r\n',
    err: '',
  });
});

test('Ctrl-C ends it, before its query runs and while it does', async () => {
  const endless = 'SELECT count(*) FROM range(1000000000000) WHERE random() < 0';
  const queries = () => process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length;
  const listeners = process.listenerCount('SIGINT');
  const moments = [
    () => expect(process.listenerCount('SIGINT')).toBeGreaterThan(listeners),
    () => expect(queries()).toBeGreaterThan(0),
  ];
  for (const moment of moments) {
    const ended = sample.firn('query', endless);
    await vi.waitFor(moment, { timeout: 60_000, interval: 5 });
    process.emit('SIGINT');
    expect(await ended).toMatchObject({ code: 130, err: expect.stringMatching(/Stopped before all rows came/) });
  }
});

test('Ctrl-C ends it where nobody writes the query that it waits for', async () => {
  const stdin = vi.spyOn(process, 'stdin', 'get').mockReturnValue(new PassThrough() as never);
  onTestFinished(() => stdin.mockRestore());
  const ended = sample.firn('query', '-');
  await vi.waitFor(() => expect(stdin).toHaveBeenCalled(), { timeout: 60_000, interval: 5 });
  process.emit('SIGINT');
  expect(await ended).toMatchObject({ code: 130 });
});

test('a query ends with who asked it, even if that was killed', { tags: 'long' }, async () => {
  // Its first rows come once they fill a buffer; then there are no more for hours.
  const sql = 'SELECT i FROM range(1000000000000) AS t(i) WHERE i < 1000000 OR random() < 0';
  const limits = { from: 0, most: 1, longest: 10, time: 600_000, threads: 1, memory: 500, processMemory: 2000 };
  const request = JSON.stringify({ folder: sample.warehouse, sql, as: 'csv', ...limits });
  const asker = spawn(process.execPath, [
    '--input-type=module',
    '-e',
    `import { spawn } from 'node:child_process';
     const query = spawn(process.execPath, [${JSON.stringify(builtFile('queryProcess.js'))}], { stdio: ['pipe', 'inherit', 'inherit'] });
     query.stdin.end(${JSON.stringify(request)});`,
  ]);
  // The pipe is open for as long as one of the two is there.
  const closed = once(asker, 'close');
  await once(asker.stdout, 'data');
  asker.stdout.resume();
  asker.kill('SIGKILL');
  await closed;
});
