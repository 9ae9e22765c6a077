import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildModels } from '../../src/transform/buildModels.ts';
import type { Model, PlacedModel } from '../../src/transform/model.ts';
import { placeOf } from '../../src/transform/modelError.ts';
import { placeModels } from '../../src/transform/placeModels.ts';
import { readModels } from '../../src/transform/readModels.ts';
import { type TestWarehouse, temporaryWarehouse } from '../transform/warehouse.ts';
import { insertOf, type ModelCase, modelCases } from './modelCases.ts';
import type { Rows } from './rows.ts';

// Each model alone: the relations it reads are tables with the rows that a case gives, and nothing else. Another chain
// has the same rows: neither may see the other's.

const models = await readModels();
let own: TestWarehouse;
let placed: ReadonlyMap<string, PlacedModel>;
/** Columns with their types, by relation, as a warehouse has them. */
let columns: ReadonlyMap<string, string>;

beforeAll(async () => {
  own = await temporaryWarehouse();
  await buildModels(own.warehouse, { models });
  placed = new Map((await placeModels(own.warehouse, models)).map((model) => [model.name, model]));
  const rows = await own.warehouse.query<{ name: string; columns: string }>(
    `SELECT schema_name || '.' || table_name AS name, string_agg('"' || column_name || '" ' || data_type, ', ' ORDER BY column_index) AS columns
     FROM duckdb_columns() WHERE NOT internal GROUP BY ALL`,
  );
  columns = new Map(rows.map((row) => [row.name, row.columns]));
}, 120_000);
afterAll(() => own.dispose());

/** Statements that make the relations which a model reads hold what a case gives. */
function setting({ name, references }: PlacedModel, { given, place }: ModelCase): string {
  const other = Object.keys(given).find((relation) => !references.includes(relation));
  if (other) throw new Error(`${place}: ${name} does not read ${other}, but ${references.join(', ')}.`);
  return references
    .map((relation) => {
      const table = `CREATE OR REPLACE TABLE ${relation} (${columns.get(relation)});\n`;
      return table + insertOf(relation, given[relation] ?? { names: [], cells: [] });
    })
    .concat(ofChains(given).map((relation) => `${again(relation)};\n`))
    .join('');
}

/** The relations that say a chain; none where chains go by other names. */
const ofChains = (given: ModelCase['given']) =>
  given['firn.chain'] ? [] : Object.keys(given).filter((relation) => given[relation]?.names.includes('chain_id'));

/** Statement that gives a table's rows to a second chain. */
const again = (table: string) =>
  `INSERT INTO ${table} SELECT * REPLACE (chain_id || 'again' AS chain_id) FROM ${table}`;

/** Rows that a model has too few and too many; in a transaction that is taken back. */
async function difference(model: PlacedModel, one: ModelCase, variant: string, wanted: Rows): Promise<string[]> {
  const { warehouse } = own;
  const kinds = await warehouse.query<{ name: string }>(
    `SELECT schema_name || '.' || view_name AS name FROM duckdb_views() WHERE NOT internal`,
  );
  const views = new Set(kinds.map(({ name }) => name));
  const names = wanted.names.map((column) => `"${column}"`).join(', ');
  await warehouse.run('BEGIN TRANSACTION');
  try {
    for (const relation of model.references) if (views.has(relation)) await warehouse.run(`DROP VIEW ${relation}`);
    await warehouse.run(setting(model, one));
    await warehouse.run(`SET VARIABLE firn_variant = '${variant}'`);
    await warehouse.run(`CREATE TEMP TABLE found AS SELECT ${names} FROM (${model.sql}\n)`);
    await warehouse.run(`CREATE TEMP TABLE wanted AS FROM found LIMIT 0; ${insertOf('wanted', wanted)}`);
    if (ofChains(one.given).length > 0)
      await warehouse.run(wanted.names.includes('chain_id') ? again('wanted') : 'INSERT INTO wanted FROM wanted');
    const differing = await warehouse.query<{ row: string }>(
      `SELECT 'missing ' || to_json(w) AS "row" FROM (FROM wanted EXCEPT ALL FROM found) AS w
       UNION ALL SELECT 'unexpected ' || to_json(f) FROM (FROM found EXCEPT ALL FROM wanted) AS f`,
    );
    return differing.map(({ row }) => row);
  } finally {
    await warehouse.run('ROLLBACK');
    await warehouse.run('RESET VARIABLE firn_variant');
  }
}

/** What to say of a case that does not hold: file and line of both sides, and what shows it. */
function complaint(model: PlacedModel, one: ModelCase, variant: string): string {
  const { path, line } = placeOf(model);
  const reading = variant ? `SET VARIABLE firn_variant = '${variant}';\n` : '';
  return `${path}:${line}: not so: "${one.case}" (${one.place}). In an empty DuckDB, .read 003_macros.sql, 030_amounts.sql and 080_amounts.sql of sql/schema, and paste:
CREATE SCHEMA raw; CREATE SCHEMA staging; CREATE SCHEMA mart; CREATE SCHEMA firn;
${setting(model, one)}${reading}${model.sql};\n`;
}

describe.each(models.map((model): [string, Model] => [model.name, model]))('%s', (name, { metric }) => {
  const cases = modelCases(name);

  test('has a case', () => {
    expect(cases.length, `write test/sql/${name.replace('.', '/')}.yaml: given, expect`).toBeGreaterThan(0);
  });

  test.each(cases.map((one) => [one.case, one] as const))('%s', async (_, one) => {
    const model = placed.get(name) as PlacedModel;
    for (const [variant, wanted] of [['', one.expect] as const, ...Object.entries(one.variants)]) {
      const found = await difference(model, one, variant, wanted).catch((error) => [String(error)]);
      expect(found, complaint(model, one, variant)).toEqual([]);
    }
  });

  if (metric) {
    test('shows what each of its readings changes', () => {
      const shown = cases.flatMap(({ variants, expect: documented }) =>
        Object.entries(variants).flatMap(([variant, wanted]) =>
          JSON.stringify(wanted) === JSON.stringify(documented) ? [] : [variant],
        ),
      );
      expect([...new Set(shown)].sort()).toEqual(Object.keys(metric.variants).sort());
    });
  }
});

test('every case is of a model', () => {
  const files = ['staging', 'mart', 'firn'].flatMap((schema) =>
    readdirSync(new URL(schema, import.meta.url)).map((file) => `${schema}.${file.replace(/\.yaml$/, '')}`),
  );
  expect(files.filter((name) => !models.some((model) => model.name === name))).toEqual([]);
});

test.each([
  [
    'that is declared and not answered',
    "'with_atomic'",
    "''",
    'the header declares the variant with_atomic, which the SQL',
  ],
  ['that is answered and not declared', "'with_atomic'", "'jam'", 'the header declares the variant with_atomic'],
  [
    'that is answered too and not declared',
    'blocks_covered AS',
    `variant() <> 'jam' AS`,
    "it compares variant() with 'jam'",
  ],
])('a reading %s is refused with file and line', async (_, from, to, message) => {
  const name = 'mart.metric_txCount';
  const harmed = models.map((model) => (model.name === name ? { ...model, sql: model.sql.replace(from, to) } : model));
  const found = (await placeModels(own.warehouse, harmed)).flatMap(({ problem }) => problem ?? []);
  const line = models.find((model) => model.name === name)?.line;
  expect(found.map((problem) => problem.message)).toEqual([
    expect.stringContaining(`sql/models/mart/metric_txCount.sql:${line}: ${message}`),
  ]);
});
