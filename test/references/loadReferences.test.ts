import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FirnError } from '../../src/core/firnError.ts';
import { readDictionary } from '../../src/dictionary/readDictionary.ts';
import type { Warehouse } from '../../src/load/state/warehouse.ts';
import { publish } from '../../src/publish/publish.ts';
import { openReader } from '../../src/publish/reader/openReader.ts';
import { loadReferences } from '../../src/references/loadReferences.ts';
import { columnName } from '../../src/references/readHeader.ts';
import { fuzzRuns } from '../fuzzRuns.ts';
import { sampleWarehouse } from '../publish/sampleWarehouse.ts';

async function withFiles(files: Readonly<Record<string, string | Buffer>>): Promise<Warehouse> {
  const warehouse = await sampleWarehouse();
  await put(warehouse, files);
  return warehouse;
}

async function put(warehouse: Warehouse, files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  await mkdir(join(warehouse.folder, 'refs'), { recursive: true });
  for (const [name, content] of Object.entries(files)) await writeFile(join(warehouse.folder, 'refs', name), content);
}

const typesOf = async (warehouse: Warehouse, table: string) =>
  Object.fromEntries(
    (await warehouse.query(`DESCRIBE refs.${table}`)).map(({ column_name, column_type }) => [column_name, column_type]),
  );

const wide = '12345678901234567890123456789012345678';

test('every value keeps its digits, and the type is the narrowest that holds them all', async () => {
  const warehouse = await withFiles({
    'Token Prices.csv':
      `chain_id,day,seen at,met at,told at,priceUsd,tiny,supply,large,beyond,code,listed,odd,none,note\r\n` +
      `43114,2026-01-01,2026-01-01T02:30:00+02:00,2026-01-01 00:00:00.123456000,2026-01-01T00:00:00.123456789Z,12.50,1.25e-7,${wide},9999999999999999999,${wide}9,007,true,2026-02-30,,"a, ""b"""\r\n` +
      `99001,2026-01-02,2026-01-02,2026-01-02,2026-01-02T00:00:00Z,0.123456,-3,9,1,1,12,FALSE,2026-02-03,,\r\n`,
  });
  expect(await loadReferences(warehouse)).toEqual([]);
  expect(await typesOf(warehouse, 'token_prices')).toEqual({
    chain_id: 'VARCHAR',
    day: 'DATE',
    seen_at: 'TIMESTAMP',
    met_at: 'TIMESTAMP',
    told_at: 'VARCHAR',
    price_usd: 'DECIMAL(18,6)',
    tiny: 'DECIMAL(18,9)',
    supply: 'DECIMAL(38,0)',
    large: 'DECIMAL(38,0)',
    beyond: 'VARCHAR',
    code: 'VARCHAR',
    listed: 'BOOLEAN',
    odd: 'VARCHAR',
    none: 'VARCHAR',
    note: 'VARCHAR',
  });
  const [first, second] = await warehouse.query('SELECT * FROM refs.token_prices ORDER BY day');
  expect(first).toEqual({
    chain_id: '43114',
    day: '2026-01-01',
    seen_at: '2026-01-01 00:30:00',
    met_at: '2026-01-01 00:00:00.123456',
    told_at: '2026-01-01T00:00:00.123456789Z',
    price_usd: '12.500000',
    tiny: '0.000000125',
    supply: wide,
    large: '9999999999999999999',
    beyond: `${wide}9`,
    code: '007',
    listed: true,
    odd: '2026-02-30',
    none: null,
    note: 'a, "b"',
  });
  expect(second).toMatchObject({ tiny: '-3.000000000', listed: false, note: null });
});

test('a time is one in whichever way its zone is written', async () => {
  const utc = { '': '02', Z: '02', ' Z': '02', ' UTC': '02' };
  const hours = { ...utc, '+02': '00', '+0200': '00', ' +02:00': '00', '-02:00': '04', ' -0200': '04' };
  const rows = Object.entries(hours).flatMap(([zone, hour]) => [
    [`2026-01-01T02:30${zone}`, `2026-01-01 ${hour}:30:00`],
    [`2026-01-01 02:30:00.5${zone}`, `2026-01-01 ${hour}:30:00.5`],
  ]);
  const lines = rows.map(([text], place) => `${place},${text}\n`);
  const warehouse = await withFiles({ 'times.csv': `place,at\n${lines.join('')}` });
  expect(await loadReferences(warehouse)).toEqual([]);
  expect(await typesOf(warehouse, 'times')).toMatchObject({ at: 'TIMESTAMP' });
  const read = await warehouse.query('SELECT "at" FROM refs.times ORDER BY place');
  expect(read.map(({ at }) => at)).toEqual(rows.map(([, at]) => at));
});

const digits = (most: number) => fc.stringMatching(new RegExp(`^(0|[1-9][0-9]{0,${most - 1}})$`));
const numberText = fc
  .tuple(
    fc.constantFrom('', '-', '+'),
    digits(36),
    fc.option(fc.stringMatching(/^[0-9]{1,12}$/)),
    fc.option(fc.integer({ min: -9, max: 9 })),
  )
  .map(
    ([sign, whole, part, power]) =>
      `${sign}${whole}${part === null ? '' : `.${part}`}${power === null ? '' : `e${power}`}`,
  );

/** A number as a whole number of 10^-40. */
function exact(text: string): bigint {
  const [, sign = '', whole = '', part = '', power = '0'] = /^([+-]?)(\d*)(?:\.(\d+))?(?:e(-?\d+))?$/.exec(text) ?? [];
  const value = BigInt(`${whole}${part}` || '0') * 10n ** BigInt(40 - part.length + Number(power));
  return sign === '-' ? -value : value;
}

test('whatever numbers a column holds, every one is the same afterwards', { tags: 'long' }, async () => {
  const warehouse = await withFiles({});
  const isText: boolean[] = [];
  await fc.assert(
    fc.asyncProperty(fc.array(numberText, { minLength: 1, maxLength: 5 }), async (texts) => {
      await put(warehouse, { 'numbers.csv': `place,n\n${texts.map((text, i) => `${i},${text}`).join('\n')}\n` });
      expect(await loadReferences(warehouse)).toEqual([]);
      const type = (await typesOf(warehouse, 'numbers'))['n'];
      const rows = await warehouse.query<{ n: string }>(
        'SELECT CAST(n AS VARCHAR) AS n FROM refs.numbers ORDER BY place',
      );
      const read = rows.map(({ n }) => n);
      if (type === 'VARCHAR') expect(read).toEqual(texts);
      else expect(read.map(exact), type).toEqual(texts.map(exact));
      isText.push(type === 'VARCHAR');
    }),
    { numRuns: fuzzRuns(30) },
  );
  expect(isText).toContain(false);
});

test('labels join addresses whatever their case; other delimiters and a byte order mark are read', async () => {
  const warehouse = await withFiles({
    'labels.csv': `\uFEFFaddress;label\n0x${'Ab'.repeat(20)};"one; two"\n\n`,
    'calls [4].CSV': `selector\tname\n0xa9059cbb\ttransfer\n`,
  });
  expect(await loadReferences(warehouse)).toEqual([]);
  expect(await warehouse.query('SELECT * FROM refs.labels WHERE address IS NOT NULL')).toEqual([
    { address: `0x${'ab'.repeat(20)}`, label: 'one; two' },
  ]);
  expect(await warehouse.query('SELECT * FROM refs.calls_4')).toEqual([{ selector: '0xa9059cbb', name: 'transfer' }]);
});

test('an empty line is no row, however many columns there are', async () => {
  const warehouse = await withFiles({ 'wallets.csv': 'address\n0x1\n\n0x2\n\n', 'pairs.csv': 'a,b\n1,2\n\n,\n' });
  expect(await loadReferences(warehouse)).toEqual([]);
  expect(await warehouse.query('FROM refs.wallets')).toEqual([{ address: '0x1' }, { address: '0x2' }]);
  expect(await warehouse.query('FROM refs.pairs')).toEqual([
    { a: 1n, b: 2n },
    { a: null, b: null },
  ]);
});

test('an address joins whatever else its column holds', async () => {
  const warehouse = await withFiles({ 'labels.csv': `address,label\n0x${'Ab'.repeat(20)},mine\nP-fuji1Abc,staker\n` });
  expect(await loadReferences(warehouse)).toEqual([]);
  expect(await warehouse.query('SELECT address FROM refs.labels ORDER BY label')).toEqual([
    { address: `0x${'ab'.repeat(20)}` },
    { address: 'P-fuji1Abc' },
  ]);
});

test('a file that cannot be read is told, keeps its table and stops no other', { tags: 'long' }, async () => {
  const warehouse = await withFiles({ 'prices.csv': 'day,price\n2026-01-01,1\n', 'good.csv': 'a\n1\n' });
  await loadReferences(warehouse);
  await put(warehouse, {
    'prices.csv': 'day,price\n2026-01-01,1\n2026-01-02\n',
    'good.csv': 'a\n1\n2\n',
    'Good .csv': 'a\n3\n',
    'twice.csv': 'a,A\n1,2\n',
    'unnamed.csv': 'a,\n1,2\n',
    'empty.csv': '',
    'latin.csv': Buffer.from([0x61, 0x0a, 0xff, 0xfe, 0x0a]),
    'excel.csv': Buffer.from('\uFEFFday;price\n2026-01-01;1\n', 'utf16le'),
    'ends.csv': 'a,b\r\n1,2\n3,4\r\n',
    '日期.csv': 'a\n1\n',
    'chinese.csv': '日期,价格\n1,2\n',
  });
  const problems = await loadReferences(warehouse);
  const told = (file: string) => problems.find((problem) => problem.file === file)?.message;
  expect(problems.length).toBe(10);
  expect(told('prices.csv')).toMatch(
    /^refs\/prices\.csv was not loaded: CSV Error on Line: 3.*refs\.prices is still what it was\.$/,
  );
  expect(told('good.csv')).toContain('refs/Good .csv already is the table refs.good');
  expect(told('twice.csv')).toContain('two columns are called a');
  expect(told('unnamed.csv')).toContain('column 2 has no name');
  expect(told('empty.csv')).toContain('column 1 has no name');
  expect(told('latin.csv')).toContain('not utf-8');
  expect(told('excel.csv')).toBe('refs/excel.csv was not loaded: it is not in UTF-8; save it as "CSV UTF-8".');
  expect(told('ends.csv')).toBe(
    'refs/ends.csv was not loaded: its lines end in different ways, such as CRLF and LF; save it with one of them.',
  );
  expect(told('日期.csv')).toContain('its name has no letter a–z or digit to call a table by; rename it');
  expect(told('chinese.csv')).toContain('column 1 has no name with a letter a–z or a digit;');
  expect(await warehouse.query('SELECT count(*) AS n FROM refs.prices')).toEqual([{ n: 1n }]);
  expect(await warehouse.query(`SELECT problem IS NOT NULL AS bad FROM firn.reference WHERE name = 'prices'`)).toEqual([
    { bad: true },
  ]);
  const listed = async () =>
    (await warehouse.query('SELECT file FROM firn.reference WHERE problem IS NOT NULL')).map(({ file }) => file).sort();
  expect(await listed()).toEqual(problems.map(({ file }) => file).sort());
  // Put right, it is loaded and the problem is gone.
  for (const file of ['日期.csv', 'good.csv']) await rm(join(warehouse.folder, 'refs', file));
  await put(warehouse, { 'prices.csv': 'day,price\n2026-01-01,1\n2026-01-02,2\n' });
  await loadReferences(warehouse);
  expect(await warehouse.query(`SELECT "rows", problem FROM firn.reference WHERE name = 'prices'`)).toEqual([
    { rows: 2n, problem: null },
  ]);
  expect(await listed()).not.toContain('日期.csv');
  expect(await listed()).not.toContain('good.csv');
});

test('folders and hidden files are no tables, and a full disk is not the fault of a file', async () => {
  const warehouse = await withFiles({ '.hidden.csv': 'a,a\n' });
  await mkdir(join(warehouse.folder, 'refs', 'old.csv'));
  expect(await loadReferences(warehouse)).toEqual([]);
  await put(warehouse, { 'prices.csv': 'a\n1\n' });
  const transaction = () => Promise.reject(new FirnError('disk', 'It is full.'));
  await expect(loadReferences({ ...warehouse, transaction })).rejects.toMatchObject({ code: 'disk' });
});

test('a link is told, also in the list of files, and its table stays', { tags: 'long' }, async () => {
  const warehouse = await withFiles({ 'prices.csv': 'a\n1\n' });
  await loadReferences(warehouse);
  const at = (...names: string[]) => join(warehouse.folder, ...names);
  await rename(at('refs', 'prices.csv'), at('prices.csv'));
  for (const name of ['prices.csv', 'labels.csv']) await symlink('../prices.csv', at('refs', name));
  const link = /it is a link.*put the file itself there/;
  expect(await loadReferences(warehouse)).toMatchObject([
    { file: 'labels.csv', message: expect.stringMatching(link) },
    { file: 'prices.csv', message: expect.stringMatching(/it is a link.*refs\.prices is still what it was\.$/) },
  ]);
  expect(await warehouse.query('SELECT file, "rows", problem FROM firn.reference ORDER BY name')).toEqual([
    { file: 'labels.csv', rows: null, problem: expect.stringMatching(link) },
    { file: 'prices.csv', rows: 1n, problem: expect.stringMatching(link) },
  ]);
  // Put back under another name, it is the same table, and nothing is wrong with it.
  await rm(at('refs', 'prices.csv'));
  await rename(at('prices.csv'), at('refs', 'Prices.csv'));
  await loadReferences(warehouse);
  const told = `SELECT file, problem FROM firn.reference WHERE name = 'prices'`;
  expect(await warehouse.query(told)).toEqual([{ file: 'Prices.csv', problem: null }]);
  await put(warehouse, { 'Prices.csv': 'a,a\n' });
  await loadReferences(warehouse);
  await put(warehouse, { 'Prices.csv': 'a\n1\n' });
  await loadReferences(warehouse);
  expect(await warehouse.query(told)).toEqual([{ file: 'Prices.csv', problem: null }]);
});

test('readers have them, with their Parquet and in the dictionary, and a file that is gone takes its table along', {
  tags: 'long',
}, async () => {
  const warehouse = await withFiles({ 'prices.csv': `chain_id,bucket,price\n43114,2026-01-01T00:00:00,${wide}\n` });
  await loadReferences(warehouse);
  const first = await publish(warehouse, { runId: 'r1' });
  await loadReferences(warehouse);
  expect(await publish(warehouse, { runId: 'r2' })).toMatchObject({ version: first.version, isNew: false });
  const reader = await openReader(warehouse.folder);
  expect(
    await reader.query(
      'SELECT CAST(price AS VARCHAR) AS price FROM refs.prices JOIN mart.metric USING (chain_id) LIMIT 1',
    ),
  ).toEqual([{ price: wide }]);
  const described = (await readDictionary({ declared: [], reader })).find(({ schema }) => schema === 'refs');
  reader.close();
  expect(described).toMatchObject({ name: 'prices', comment: 'The rows of refs/prices.csv.', kind: 'table' });
  await rm(join(warehouse.folder, 'refs'), { recursive: true });
  expect(await loadReferences(warehouse)).toEqual([]);
  await publish(warehouse, { runId: 'r3' });
  const after = await openReader(warehouse.folder);
  expect(await after.query(`SELECT view_name FROM duckdb_views() WHERE schema_name = 'refs'`)).toEqual([]);
  expect(await after.query('FROM firn.reference')).toEqual([]);
  after.close();
});

test.each([
  ['Price (USD)', 'price_usd'],
  ['nodeIDs', 'node_ids'],
  ['  a--b ', 'a_b'],
  ['2024', '_2024'],
  ['❄', ''],
])('%s becomes the name %s', (text, name) => {
  expect(columnName(text)).toBe(name);
});
