import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sqlFolder } from '../../src/load/packageFiles.ts';
import { type TestWarehouse, temporaryWarehouse } from '../transform/warehouse.ts';
import { macroCases } from './macroCases.ts';

const cases = macroCases();
/** File and line of each macro; the last one counts. */
const places = new Map(
  readdirSync(sqlFolder('schema'))
    .sort()
    .flatMap((file) =>
      readFileSync(join(sqlFolder('schema'), file), 'utf8')
        .split('\n')
        .map(
          (text, i) => [/^CREATE OR REPLACE MACRO (\w+)/.exec(text)?.[1] ?? '', `sql/schema/${file}:${i + 1}`] as const,
        ),
    ),
);
let own: TestWarehouse;

beforeAll(async () => {
  own = await temporaryWarehouse();
}, 60_000);
afterAll(() => own.dispose());

test('every macro has a call', async () => {
  const macros = await own.warehouse.query<{ name: string }>(
    `SELECT DISTINCT function_name AS name FROM duckdb_functions() WHERE function_type LIKE '%macro' AND NOT internal ORDER BY name`,
  );
  expect([...cases.keys()].sort()).toEqual(macros.map(({ name }) => name));
});

describe.each([...cases])('%s', (macro, calls) => {
  test.each(calls)('$call is $is', async ({ set, call, is }) => {
    const variables = set.map((one) => one.split(' = ')[0]);
    const before = set.map((one) => `SET VARIABLE ${one}; `).join('');
    if (before) await own.warehouse.run(before);
    try {
      const rows = await own.warehouse.query<{ value: string | null }>(
        `SELECT CAST("value" AS VARCHAR) AS "value" FROM (SELECT ${call}) AS t ("value")`,
      );
      expect(rows[0]?.value, `${places.get(macro)}: not so. To see it, paste: ${before}SELECT ${call};`).toBe(is);
    } finally {
      for (const name of variables) await own.warehouse.run(`RESET VARIABLE ${name}`);
    }
  });
});
