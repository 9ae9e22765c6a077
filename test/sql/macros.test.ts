import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sqlFolder } from '../../src/load/packageFiles.ts';
import { type TestWarehouse, temporaryWarehouse } from '../transform/warehouse.ts';
import { macroCases } from './macroCases.ts';

const cases = macroCases();
const files = readdirSync(sqlFolder('schema')).sort();
const textOf = (file: string) => readFileSync(join(sqlFolder('schema'), file), 'utf8');
/** All macros that files define, in their order: name, file and line. */
const defined = files.flatMap((file) =>
  textOf(file)
    .split('\n')
    .flatMap((text, i) => {
      const name = /^CREATE OR REPLACE MACRO (\w+)/.exec(text)?.[1];
      return name === undefined ? [] : [{ name, file, line: i + 1 }];
    }),
);
/** File and line of each macro; the last one counts. */
const places = new Map(defined.map(({ name, file, line }) => [name, `sql/schema/${file}:${line}`]));
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

test('a migration that defines a macro anew has all models built anew', () => {
  const before = new Set<string>();
  const changing = defined.filter(({ name }) => before.has(name) || !before.add(name)).map(({ file }) => file);
  // Those before came with models that changed, too.
  for (const file of changing.filter((name) => name >= '156'))
    expect(textOf(file), file).toContain("UPDATE firn.build_state SET models_hash = ''");
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
