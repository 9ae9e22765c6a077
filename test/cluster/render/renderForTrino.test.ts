import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expandMacros, readMacros, sqlTokens, trinoMacros } from '../../../src/cluster/render/expandMacros.ts';
import { renderForTrino } from '../../../src/cluster/render/renderForTrino.ts';
import { readAudits } from '../../../src/transform/audits/readAudits.ts';
import { readModels } from '../../../src/transform/models/readModels.ts';
import { temporaryWarehouse } from '../../transform/warehouse.ts';

const macros = readMacros(`
-- Twice a number.
CREATE OR REPLACE MACRO twice(n) AS n * 2;
CREATE OR REPLACE MACRO joined(a, b) AS a || ', a' || b;
CREATE OR REPLACE MACRO each(list, f) AS transform(list, f);
CREATE OR REPLACE MACRO variant() AS coalesce(getvariable('firn_variant'), '');
CREATE OR REPLACE MACRO since(moment) AS (getvariable('firn_since') IS NULL OR moment >= getvariable('firn_since'));
CREATE OR REPLACE MACRO in_blocks(height) AS (getvariable('firn_first') IS NULL OR height >= getvariable('firn_first'));
`);
const asIs = (name: string) => name;

test.each([
  ['a name stays as it is', 'twice(x)', 'x * 2'],
  ['so does one with its table', 'twice(t."x")', 't."x" * 2'],
  ['signs stay together', 'twice(x + 1)', '(x + 1) * 2'],
  ['calls stand in calls', 'twice(twice(x))', '(x * 2) * 2'],
  ['a text of the body is no parameter', "joined(x, 'b')", "x || ', a' || ('b')"],
  ['commas in brackets and texts part nothing', "joined(f(a, b), ', (')", "(f(a, b)) || ', a' || (', (')"],
  ['a lambda takes no brackets', 'each(l, a -> a + 1)', 'transform(l, a -> a + 1)'],
  ['names in any case', 'TWICE(x)', 'x * 2'],
  ['no argument', 'variant()', "coalesce(getvariable('firn_variant'), '')"],
  ['of another schema it is another', 'own.twice(x)', 'own.twice(x)'],
  ['a column is no call', 'twice + 1', 'twice + 1'],
  ['in a text', "'twice(x)'", "'twice(x)'"],
  ['comments go', 'twice(x) -- twice(y)', 'x * 2 '],
])('%s', (_, sql, text) => {
  expect(expandMacros(sql, macros)).toBe(text);
});

test('tokens are the statement', () => {
  const part = fc.constantFrom("'it''s'", '"a b"', 'SELECT', ' ', '\n', '(', ',', '1.5', '||', 'é');
  fc.assert(fc.property(fc.array(part), (parts) => sqlTokens(parts.join('')).join('') === parts.join('')));
});

const views = new Map([
  ['staging.block', 'SELECT * FROM raw.block WHERE in_blocks(number)'],
  ['staging.log', 'SELECT * FROM staging.block'],
]);

test.each([
  [
    'all of it',
    'SELECT * FROM mart.t AS t WHERE since(t.at)',
    {},
    'SELECT * FROM mart.t AS t WHERE (NULL IS NULL OR t.at >= NULL)',
  ],
  [
    'a moment',
    'SELECT since(x)',
    { firn_since: '2026-04-01 00:00:00' },
    "SELECT (TIMESTAMP '2026-04-01 00:00:00' IS NULL OR x >= TIMESTAMP '2026-04-01 00:00:00')",
  ],
  ['a variant', 'SELECT variant()', { firn_variant: 'with_atomic' }, "SELECT coalesce('with_atomic', '')"],
  [
    'views in their order, once, in the same scope',
    'SELECT * FROM staging.log AS l JOIN staging.block AS b ON true',
    { firn_first: 7n },
    `WITH "staging.block" AS (SELECT * FROM raw.block WHERE (7 IS NULL OR number >= 7)
),
"staging.log" AS (SELECT * FROM "staging.block"
)
SELECT * FROM (SELECT * FROM "staging.log" AS l JOIN "staging.block" AS b ON true
)`,
  ],
  [
    'other spellings',
    'WITH a AS NOT MATERIALIZED (SELECT each(l, lambda a: a + 1))',
    {},
    'WITH a AS (SELECT transform(l, a -> a + 1))',
  ],
])('renders %s', (_, sql, scope, text) => {
  expect(renderForTrino(sql, { macros, views, scope, table: asIs })).toBe(text);
});

test('names tables as it is told', () => {
  const table = (name: string) => `${name} FOR VERSION AS OF 7`;
  expect(renderForTrino('SELECT * FROM staging.block', { macros, views, table })).toContain(
    'FROM raw.block FOR VERSION AS OF 7',
  );
});

test('every macro of the models has a text for Trino, with the same parameters', async () => {
  const own = await temporaryWarehouse();
  const rows = await own.warehouse.query<{ name: string; parameters: string }>(
    `SELECT function_name AS name, array_to_string(parameters, ', ') AS parameters FROM duckdb_functions()
     WHERE function_type = 'macro' AND NOT internal ORDER BY name`,
  );
  await own.dispose();
  expect(rows.map(({ name }) => [name, trinoMacros().get(name)?.parameters.join(', ')])).toEqual(
    rows.map(({ name, parameters }) => [name, parameters]),
  );
});

test('nothing of a macro is left in a model or an audit', async () => {
  for (const { sql } of [...(await readModels()), ...(await readAudits())]) {
    const text = renderForTrino(sql, { macros: trinoMacros(), views: new Map(), table: asIs });
    expect(text).not.toMatch(/getvariable|wide_sum|quotient\(|in_blocks|in_buckets/);
  }
});
