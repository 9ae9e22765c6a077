import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FirnError } from '../../src/core/firnError.ts';
import { literal } from '../../src/core/text/sqlText.ts';
import { querySql } from '../../src/load/packageFiles.ts';
import { readAudits } from '../../src/transform/audits/readAudits.ts';
import { buildModels } from '../../src/transform/builds/buildModels.ts';
import type { Model, PlacedModel } from '../../src/transform/models/model.ts';
import { modelReferences } from '../../src/transform/models/modelReferences.ts';
import { placeModels } from '../../src/transform/models/placeModels.ts';
import { readModels } from '../../src/transform/models/readModels.ts';
import { rowsThrough } from '../rowsThrough.ts';
import { type TestWarehouse, temporaryWarehouse } from '../transform/warehouse.ts';
import { insertOf, type ModelCase, modelCases } from './modelCases.ts';
import type { Rows } from './rows.ts';

// Each model, audit and other query alone: the relations it reads are tables with the rows that a case gives, and nothing else.
// Another chain has the same rows: neither may see the other's.

const models = await readModels();
const audits = (await readAudits()).map((audit) => ({ ...audit, name: `audits.${audit.name}` }));
/** What stands in the braces of other queries. */
const parts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  changed_hours: {},
  known_gaps: {},
  report_series: { own: 'mart.metric', wanted: 'true' },
  served_consistency: {},
  served_freshness: {},
  served_values: { chains: "'C', 'D'" },
};
const others = Object.keys(parts).map((name) => {
  // `firn_changed` is made of it, and no relation of a schema.
  const sql = querySql(name, parts[name]).replaceAll(' firn_changed ', ' staging.evm_change ');
  return { name: `queries.${name}`, sql, file: `sql/queries/${name}.sql`, line: 1 };
});
/** A model, an audit or another query, and what it reads. */
type Query = Pick<PlacedModel, 'name' | 'sql' | 'file' | 'line' | 'references'>;
let queries: ReadonlyMap<string, Query>;
let own: TestWarehouse;
/** Columns with their types, by relation, as a warehouse has them. */
let columns: ReadonlyMap<string, string>;

beforeAll(async () => {
  own = await temporaryWarehouse();
  await buildModels(own.warehouse, { models });
  const asked = [...audits, ...others];
  const read = await modelReferences(own.warehouse, asked);
  const placed = asked.map((query): Query => {
    const found = read.get(query.name);
    if (!found || found instanceof FirnError) throw found;
    return { ...query, references: found.relations };
  });
  queries = new Map([...(await placeModels(own.warehouse, models)), ...placed].map((query) => [query.name, query]));
  const rows = await own.warehouse.query<{ name: string; columns: string }>(
    `SELECT schema_name || '.' || table_name AS name, string_agg('"' || column_name || '" ' || data_type, ', ' ORDER BY column_index) AS columns
     FROM duckdb_columns() WHERE NOT internal GROUP BY ALL`,
  );
  columns = new Map(rows.map((row) => [row.name, row.columns]));
}, 120_000);
afterAll(() => own.dispose());

/** Statements that make the relations which a query reads hold what a case gives. */
function setting({ name, references }: Query, one: ModelCase): string {
  const { given, place } = one;
  const other = Object.keys(given).find((relation) => !references.includes(relation));
  if (other) throw new Error(`${place}: ${name} does not read ${other}, but ${references.join(', ')}.`);
  return references
    .map((relation) => {
      const table = `CREATE OR REPLACE TABLE ${relation} (${columns.get(relation)});\n`;
      return table + insertOf(relation, given[relation] ?? { names: [], cells: [] });
    })
    .concat(ofChains(one).map((relation) => `${again(relation)};\n`))
    .join('');
}

/** The relations that say a chain; none where chains go by other names, or one is asked for. */
const ofChains = ({ given, parameters }: ModelCase) =>
  given['firn.chain'] || parameters.length > 0
    ? []
    : Object.keys(given).filter((relation) => given[relation]?.names.includes('chain_id'));

/** Statement that gives a table's rows to a second chain. */
const again = (table: string) =>
  `INSERT INTO ${table} SELECT * REPLACE (chain_id || 'again' AS chain_id) FROM ${table}`;

/** Rows that a query has too few and too many; in a transaction that is taken back. */
async function difference(query: Query, one: ModelCase, variant: string, wanted: Rows): Promise<string[]> {
  const { warehouse } = own;
  const kinds = await warehouse.query<{ name: string }>(
    `SELECT schema_name || '.' || view_name AS name FROM duckdb_views() WHERE NOT internal`,
  );
  const views = new Set(kinds.map(({ name }) => name));
  const names = wanted.names.map((column) => `"${column}"`).join(', ');
  await warehouse.run('BEGIN TRANSACTION');
  try {
    for (const relation of query.references) if (views.has(relation)) await warehouse.run(`DROP VIEW ${relation}`);
    await warehouse.run(setting(query, one));
    await warehouse.run(variables(one, variant));
    await warehouse.run(`CREATE TEMP TABLE found AS SELECT ${names} FROM (${sqlOf(query, one)}\n)`);
    await warehouse.run(`CREATE TEMP TABLE wanted AS FROM found LIMIT 0; ${insertOf('wanted', wanted)}`);
    if (ofChains(one).length > 0)
      await warehouse.run(wanted.names.includes('chain_id') ? again('wanted') : 'INSERT INTO wanted FROM wanted');
    const differing = await warehouse.query<{ row: string }>(
      `SELECT 'missing ' || to_json(w) AS "row" FROM (FROM wanted EXCEPT ALL FROM found) AS w
       UNION ALL SELECT 'unexpected ' || to_json(f) FROM (FROM found EXCEPT ALL FROM wanted) AS f`,
    );
    return differing.map(({ row }) => row);
  } finally {
    await warehouse.run('ROLLBACK');
    await warehouse.run('RESET VARIABLE firn_variant; RESET VARIABLE firn_audited_load');
  }
}

const sqlOf = ({ sql }: Query, { parameters }: ModelCase) =>
  sql.replace(/\$(\d)/g, (_, place) => literal(parameters[Number(place) - 1] ?? ''));

const variables = ({ passed }: ModelCase, variant: string) =>
  `SET VARIABLE firn_variant = '${variant}';\n${passed === undefined ? '' : `SET VARIABLE firn_audited_load = ${passed};\n`}`;

/** What to say of a case that does not hold: file and line of both sides, and what shows it. */
function complaint(query: Query, one: ModelCase, variant: string): string {
  return `${query.file}:${query.line}: not so: "${one.case}" (${one.place}). In an empty DuckDB, .read 003_macros.sql, 030_amounts.sql and 080_amounts.sql of sql/schema, and paste:
CREATE SCHEMA raw; CREATE SCHEMA staging; CREATE SCHEMA mart; CREATE SCHEMA firn;
${setting(query, one)}${variables(one, variant)}${sqlOf(query, one)};\n`;
}

async function holds(name: string, one: ModelCase): Promise<void> {
  const query = queries.get(name) as Query;
  for (const [variant, wanted] of [['', one.expect] as const, ...Object.entries(one.variants)]) {
    const found = await difference(query, one, variant, wanted).catch((error) => [String(error)]);
    expect(found, complaint(query, one, variant)).toEqual([]);
  }
}

describe.each(models.map((model): [string, Model] => [model.name, model]))('%s', (name, { metric }) => {
  const cases = modelCases(name);

  test('has a case', () => {
    expect(cases.length, `write test/sql/${name.replace('.', '/')}.yaml: given, expect`).toBeGreaterThan(0);
  });

  test.each(cases.map((one) => [one.case, one] as const))('%s', (_, one) => holds(name, one));

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

describe('an audit finds what is harmed and nothing that is sound, another query what it says', () => {
  const cases = [...audits, ...others].flatMap(({ name }) =>
    modelCases(name).map((one) => [name, one.case, one] as const),
  );
  test.each(cases)('%s: %s', (name, _, one) => holds(name, one));
});

test('every case is of a model, an audit or another query', () => {
  const files = ['staging', 'mart', 'firn', 'audits', 'queries'].flatMap((schema) =>
    readdirSync(new URL(schema, import.meta.url)).map((file) => `${schema}.${file.replace(/\.yaml$/, '')}`),
  );
  expect(files.filter((name) => !queries.has(name))).toEqual([]);
});

// DuckDB does so where the condition of a LEFT JOIN has, beside equalities, one on the left side alone: a history of years then takes days.
test('no outer join compares every row with every row', { tags: 'long' }, async () => {
  const slow = new Set<string>();
  for (const { name, sql } of queries.values()) {
    // Queries with parameters are not explained.
    if (/\$\d|\{/.test(sql)) continue;
    const [row] = await own.warehouse.query<{ explain_value: string }>(`EXPLAIN (FORMAT JSON) ${sql}`);
    JSON.parse(row?.explain_value ?? '', (_, node) => {
      const isSlow = ['BLOCKWISE_NL_JOIN', 'NESTED_LOOP_JOIN'].includes(node?.name);
      if (isSlow && node.extra_info['Join Type'] !== 'INNER') slow.add(name);
      return node;
    });
  }
  expect([...slow]).toEqual([]);
});

describe('an audit that compares two sides', { tags: 'long' }, () => {
  const history = 100_000;
  /** A table of rows of which the last five are new. */
  const rows = (table: string, values: string, count = history) =>
    `CREATE OR REPLACE TABLE raw.${table} (${columns.get(`raw.${table}`)});
     INSERT INTO raw.${table} BY NAME SELECT ${values}, 1 + CAST(i >= ${count - 5} AS INTEGER) AS _load_id FROM range(${count}) AS r (i)`;
  const pBlocks = (height: string) =>
    rows(
      'node_containers_p_blocks',
      `'P/block' AS index_name, i AS "index", ${height} AS height, 'b' || i AS block_id`,
    );
  let large: TestWarehouse;

  beforeAll(async () => {
    large = await temporaryWarehouse();
    await buildModels(large.warehouse, { models });
    await large.warehouse.run(`SET VARIABLE firn_audited_load = 1;
      INSERT INTO firn.chain VALUES ('43114', 'C', 'c', 'C', 'evm', NULL, now()::TIMESTAMP)`);
  }, 120_000);
  afterAll(() => large.dispose());

  test.each([
    [
      'node_containers_link',
      () => [rows('node_containers', `'P/block' AS index_name, i AS "index", 'c' || i AS id, 'other' AS parent_id`)],
    ],
    ['node_primary_heights_follow', () => [pBlocks('2 * i')]],
    [
      'container_blocks_equal_rpc_blocks',
      () => [
        rows('node_containers_c_blocks', `'C/block' AS index_name, i AS "index", i AS "number", 'b' || i AS hash`),
        rows('node_evm_blocks', `'43114' AS chain_id, i AS "number", 'other' AS hash`),
      ],
    ],
    [
      'container_transactions_equal_rpc_transactions',
      () => [
        rows(
          'node_containers_c_transactions',
          `'C/block' AS index_name, i AS "index", i AS block_number, 0 AS tx_index, 't' || i AS hash`,
        ),
        rows('node_evm_transactions', `'43114' AS chain_id, i AS "number", 0 AS tx_index, 'other' AS hash`),
      ],
    ],
    [
      'data_primary_transactions_equal_containers',
      () => [
        pBlocks('i'),
        // The smaller one may be read whole.
        rows(
          'data_primary_transactions',
          `'p-chain' AS blockchain, ${history - 5000} + i AS block_number, 't' || i AS tx_hash`,
          5000,
        ),
      ],
    ],
    [
      'platform_json_equals_containers',
      () => [
        pBlocks('i'),
        rows('node_platform_blocks', `i AS height, 'other' AS block_id`),
        rows('node_containers_p_transactions', `i AS block_height, 0 AS "position", 't' || i AS tx_id`),
        rows('node_platform_transactions', `i AS height, 0 AS "position", 'other' AS tx_id`),
      ],
    ],
  ])('%s reads what is new of each, and of the other what that meets', async (name, given) => {
    const { warehouse } = large;
    const sql = queries.get(`audits.assert_${name}`)?.sql ?? '';
    for (const statement of given()) await warehouse.run(statement);
    const read = (await rowsThrough(warehouse, ({ query }) => query(sql))).map(({ rows: came }) => came);
    expect(read).toContain(5);
    expect(Math.max(...read)).toBeLessThan(history / 10);
    expect((await warehouse.query(sql)).length).toBeGreaterThanOrEqual(5);
  });
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
