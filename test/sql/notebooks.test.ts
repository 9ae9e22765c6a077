import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sqlFolder } from '../../src/load/sqlFolder.ts';
import { recordedFolder } from './recordedWarehouse.ts';

interface Cell {
  readonly cell_type: 'code' | 'markdown';
  readonly metadata: { readonly tags?: readonly string[] };
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
const statementOf = ({ source }: Cell) => /^db\.sql\("""\n([\s\S]*)\n"""\)$/.exec(source.join(''))?.[1];

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

test('there is a notebook for every question and a template', () => {
  expect(names.length).toBe(7);
  expect(names).toContain('template.ipynb');
});

describe.each(notebooks)('%s', (_, { nbformat, cells }) => {
  const code = cells.filter(({ cell_type }) => cell_type === 'code');

  test('is kept without outputs, and its first code cell names the database', () => {
    expect(nbformat).toBe(4);
    expect(code[0]?.metadata.tags).toEqual(['parameters']);
    expect(code[0]?.source.join('')).toMatch(/^database = '.*'\ndb = duckdb\.connect\(database, read_only=True\)$/m);
    for (const { outputs, execution_count } of code) expect([outputs, execution_count]).toEqual([[], null]);
  });

  test.each(code.slice(1).map((cell) => [statementOf(cell)?.split('\n')[0] ?? '', cell]))('%s', async (_, cell) => {
    const sql = statementOf(cell as Cell);
    expect(sql).toBeDefined();
    const rows = (await connection.runAndReadAll(sql ?? '')).getRowObjectsJson();
    const at = cells.indexOf(cell as Cell);
    const above = cells[at - 1]?.source.join('') ?? '';
    if (/This (must|should) return no rows|Where they differ/.test(above)) expect(rows).toEqual([]);
    else expect(rows.length).toBeGreaterThan(0);
  });
});
