import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { sqlFolder } from '../../src/load/packageFiles.ts';
import { groupFacts, groupOf, verdicts } from '../../src/report/verdicts/verdictFacts.ts';
import { recordedFolder } from './recordedWarehouse.ts';

// `npm run test:notebooks` runs the notebooks themselves, in Python.

interface Cell {
  readonly cell_type: 'code' | 'markdown';
  readonly metadata: { readonly tags?: readonly string[]; readonly vscode?: { readonly languageId: string } };
  readonly source: readonly string[];
  readonly outputs?: readonly unknown[];
  readonly execution_count?: number | null;
}

interface Notebook {
  readonly nbformat: number;
  readonly cells: readonly Cell[];
}

const folder = sqlFolder('notebooks');
const names = (await readdir(folder)).filter((name) => name.endsWith('.ipynb')).sort();
const notebooks = await Promise.all(
  names.map(async (name) => [name, JSON.parse(await readFile(join(folder, name), 'utf8')) as Notebook] as const),
);
const textOf = (cell: Cell | undefined) => cell?.source.join('') ?? '';
const codeOf = ({ cells }: Notebook) => cells.filter(({ cell_type }) => cell_type === 'code');
const sqlOf = (cell: Cell) => /^%%sql(?: \w+ <<)?\n([\s\S]*)$/.exec(textOf(cell))?.[1];
const sqlCells = (notebook: Notebook) => codeOf(notebook).filter((cell) => sqlOf(cell) !== undefined);

/** Relations without rows in a warehouse that reads no rules of an L1 and has no CSV files, like this one. */
const mayBeEmpty = /dim_fee_config|dim_evm_rule|firn\.reference/;

let instance: DuckDBInstance;
let connection: DuckDBConnection;

beforeAll(async () => {
  const database = join(await recordedFolder(), 'analytics.duckdb');
  instance = await DuckDBInstance.create(database, { access_mode: 'READ_ONLY' });
  connection = await instance.connect();
}, 600_000);
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
});

test.each(notebooks)('%s draws nothing where a value is missing, not 0', (_, notebook) => {
  expect(codeOf(notebook).map(textOf).join('\n')).not.toMatch(/\bor 0\b/);
});

test.each(notebooks)('%s draws times as times, not as text in the order of the rows', (_, notebook) => {
  expect(codeOf(notebook).map(textOf).join('\n')).not.toMatch(/:%Y|strftime/);
});

test('there is a notebook for every question and a template', () => {
  expect(names.map((name) => name.replace('.ipynb', ''))).toEqual([
    '01-quick-start',
    '02-active-addresses',
    '03-served-over-ours',
    '04-staking',
    '05-token-flows',
    '06-reconciliation',
    '08-your-own-table',
    '09-fee-and-rule-history',
    '10-where-a-number-comes-from',
    'template',
  ]);
});

test('the page of the notebooks names them all', async () => {
  const page = await readFile(join(folder, '../../docs/notebooks.md'), 'utf8');
  for (const name of names) expect(page).toContain(`\`${name.replace('.ipynb', '')}\``);
});

test('all begin with the same cell: it finds the database upwards or by FIRN_DATABASE, and closes an older connection first', () => {
  const first = textOf(codeOf(notebooks[0]?.[1] as Notebook)[0]);
  expect(first).toMatch(
    /FIRN_DATABASE[\s\S]*Path\.cwd\(\)\.parents[\s\S]*db\.close\(\)[\s\S]*duckdb\.connect\(.*read_only=True\)/,
  );
  for (const [name, notebook] of notebooks) expect(textOf(codeOf(notebook)[0]), name).toBe(first);
});

/** Rows of the SQL cell of a notebook that matches; where `given` is, of a database that this SQL fills. */
async function rowsOf(name: string, cell: RegExp, given?: string) {
  const [, notebook] = notebooks.find(([file]) => file === `${name}.ipynb`) ?? [];
  const sql = codeOf(notebook as Notebook)
    .map(sqlOf)
    .find((text) => text !== undefined && cell.test(text));
  if (given === undefined) return (await connection.runAndReadAll(sql ?? '')).getRowObjectsJson();
  const own = await DuckDBInstance.create();
  onTestFinished(() => own.closeSync());
  const filled = await own.connect();
  await filled.run(`CREATE SCHEMA mart; ${given}`);
  return (await filled.runAndReadAll(sql ?? '')).getRowObjectsJson();
}

/** Rows of `mart.reconciliation`, by their verdicts, in that order. */
const reconciled = (names: readonly string[]) => `
  CREATE TABLE mart.reconciliation AS SELECT '43114' AS chain_id, 'txCount' AS metric, 'day' AS time_interval,
    TIMESTAMP '2026-01-01' + to_days(CAST(place AS INTEGER)) AS bucket, verdict, 1 AS own_numerator, 1 AS own_denominator,
    '1' AS served_text, '0' AS difference_text, NULL AS note
  FROM (SELECT unnest([${names.map((name) => `'${name}'`).join(', ')}]) AS verdict, unnest(range(${names.length})) AS place)`;

test('where numbers differ stands before any number of those that are explained', async () => {
  const given = reconciled([...Array(60).fill('offset_constant'), 'differs']);
  const rows = await rowsOf('03-served-over-ours', /verdict IN \('differs'/, given);
  expect([rows.length, rows[0]?.['verdict'], rows[1]?.['verdict']]).toEqual([50, 'differs', 'offset_constant']);
});

test.each(verdicts)('a bucket that is %s stands in the matrix once, in the group of the report', async (verdict) => {
  const [row] = await rowsOf('06-reconciliation', /GROUP BY chain_id, metric/, reconciled([verdict]));
  const { chain_id: _, metric, time_interval: interval, buckets, ...counts } = row ?? {};
  expect([metric, interval, buckets]).toEqual(['txCount', 'day', '1']);
  expect(Object.keys(counts).filter((group) => counts[group] !== '0')).toEqual([
    groupFacts[groupOf(verdict)].word.replace(' ', '_'),
  ]);
});

test('nobody owns a token that was burnt', async () => {
  const zero = '0x0000000000000000000000000000000000000000';
  const given = `CREATE TABLE mart.fct_token_transfer AS SELECT '43114' AS chain_id, '0xa' AS token_address, 'ERC-721' AS erc_type,
      token_id, CAST(NULL AS VARCHAR) AS token_id_text, to_address, "number", 0 AS log_index, TIMESTAMP '2026-01-01' AS block_time
    FROM (VALUES (1, '0xb', 1), (1, '${zero}', 2), (2, '${zero}', 3), (2, '0xc', 4)) AS t (token_id, to_address, "number")`;
  const rows = await rowsOf('05-token-flows', /AS owner/, given);
  expect(rows.map(({ token_id: id, owner }) => [id, owner])).toEqual([['2', '0xc']]);
});

test('the addresses of a chain are counted without the owners of UTXOs', async () => {
  const roles = (await rowsOf('02-active-addresses', /FROM mart\.dim_address/)).map(({ role }) => role);
  expect(roles).toContain('contract');
  expect(roles).not.toContain('utxo_owner');
});

test('active addresses are counted of every day, also of one without a block', async () => {
  const days = (await rowsOf('02-active-addresses', /AS with_tokens/)).map((row) => Date.parse(String(row['day'])));
  expect(days.slice(1).every((day, place) => (days[place] ?? 0) - day === 86_400_000)).toBe(true);
});

test('what crosses between chains is what imports take, without the change', async () => {
  const took = await connection.runAndReadAll(
    `SELECT source_chain AS "from", blockchain AS "to", sum(amount_in_avax) AS imported FROM mart.fct_primary_transaction
    WHERE tx_type = 'ImportTx' GROUP BY ALL ORDER BY ALL`,
  );
  const crossed = await rowsOf('05-token-flows', /AS exported/);
  expect(crossed.map(({ from, to, imported }) => [from, to, imported]).sort()).toEqual(
    took
      .getRowObjectsJson()
      .map(({ from, to, imported }) => [from, to, imported])
      .sort(),
  );
  for (const { exported, imported } of crossed) expect(Number(exported)).toBeGreaterThanOrEqual(Number(imported));
});

test('the net flow of an address adds up amounts of any width', async () => {
  const rows = await rowsOf('05-token-flows', /AS net_amount/);
  expect(rows.some(({ net_amount: amount }) => String(amount).length > 38)).toBe(true);
});

describe.each(notebooks)('%s', (_, notebook) => {
  const { nbformat, cells } = notebook;

  test('is kept without outputs, and has SQL cells that editors highlight, and a chart', () => {
    expect(nbformat).toBe(4);
    expect(codeOf(notebook)[0]?.metadata.tags).toEqual(['parameters']);
    for (const { outputs, execution_count } of codeOf(notebook)) expect([outputs, execution_count]).toEqual([[], null]);
    expect(sqlCells(notebook).length).toBeGreaterThan(1);
    for (const cell of sqlCells(notebook)) expect(cell.metadata.vscode?.languageId).toBe('sql');
    expect(codeOf(notebook).filter((cell) => textOf(cell).includes('plt.subplots(')).length).toBeGreaterThan(0);
  });

  test.each(sqlCells(notebook).map((cell) => [textOf(cell).slice(0, 80), cell]))('%s', async (_, cell) => {
    const sql = sqlOf(cell as Cell) ?? '';
    const rows = (await connection.runAndReadAll(sql)).getRowObjectsJson();
    const above = textOf(cells[cells.indexOf(cell as Cell) - 1]);
    if (/This (must|should) return no rows|Where they differ/.test(above)) expect(rows).toEqual([]);
    else if (!mayBeEmpty.test(sql)) expect(rows.length).toBeGreaterThan(0);
  });
});
