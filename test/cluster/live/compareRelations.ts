import { type Rendering, renderForTrino } from '../../../src/cluster/render/renderForTrino.ts';
import type { TrinoClient } from '../../../src/cluster/trino/trinoClient.ts';
import type { Warehouse } from '../../../src/load/state/warehouse.ts';
import { readAudits } from '../../../src/transform/audits/readAudits.ts';
import { mapAtOnce } from '../../../src/transform/mapAtOnce.ts';
import { readModels } from '../../../src/transform/models/readModels.ts';

/** Statements at once: two workers plan and compute them. */
export const atOnce = 4;

/** DuckDB's types and the ones that Trino must have in their places. */
const sameTypes: readonly (readonly [string, RegExp])[] = [
  ['VARCHAR', /^varchar/],
  ['TIMESTAMP', /^timestamp\(6\)$/],
  ['BIGINT', /^bigint$/],
  ['INTEGER', /^integer$/],
  ['BOOLEAN', /^boolean$/],
  ['DOUBLE', /^double$/],
  ['DATE', /^date$/],
  ['UBIGINT', /^decimal\(20, 0\)$/],
  ['DECIMAL(38,0)', /^decimal\(38, 0\)$/],
  ['DECIMAL(38,18)', /^decimal\(38, 18\)$/],
  ['VARCHAR[]', /^array\(varchar/],
  ['BLOB', /^varbinary$/],
];

interface Column {
  readonly name: string;
  readonly type: string;
}

/** A value of DuckDB in words that both have. */
function duckDbText({ name, type }: Column): string {
  if (type === 'VARCHAR[]') return `array_to_string("${name}", '|')`;
  return type === 'BLOB' ? `hex("${name}")` : `CAST("${name}" AS VARCHAR)`;
}

/** A value that the client gives in the same words. */
function trinoText(value: unknown): string | null {
  if (Array.isArray(value)) return value.join('|');
  if (Buffer.isBuffer(value)) return value.toString('hex').toUpperCase();
  return value === null ? null : String(value);
}

/**
 * What differs between a relation in DuckDB and one in Trino, in words: types, or rows as they stand, how often each, and every digit.
 * Nothing where nothing does.
 *
 * @param except columns that mean nothing to the other one, such as numbers of loads
 */
export async function differences(
  warehouse: Pick<Warehouse, 'query'>,
  client: TrinoClient,
  own: string,
  rendered: string,
  except: readonly string[] = [],
): Promise<string[]> {
  const described = await warehouse.query<{ column_name: string; column_type: string }>(
    `DESCRIBE SELECT * FROM ${own}`,
  );
  const columns = described
    .map(({ column_name, column_type }) => ({ name: column_name, type: column_type }))
    .filter(({ name }) => !except.includes(name));
  const named = columns.map(({ name }) => `"${name}"`).join(', ');
  const texts = columns.map((column) => `${duckDbText(column)} AS "${column.name}"`).join(', ');
  const [mine, theirs] = await Promise.all([
    warehouse.query<Record<string, unknown>>(`SELECT ${texts} FROM ${own}`),
    client.run<Record<string, unknown>>(`SELECT ${named} FROM (${rendered})`, { query_max_stage_count: '600' }),
  ]);
  const problems: string[] = [];
  for (const { name, type } of columns) {
    const found = theirs.types[name] ?? 'missing';
    if (!sameTypes.find(([mine]) => mine === type)?.[1].test(found)) problems.push(`${name} is ${type}, and ${found}`);
  }
  const doubles = new Set(columns.filter(({ type }) => type === 'DOUBLE').map(({ name }) => name));
  const lines = (rows: readonly Record<string, unknown>[], text: (value: unknown) => unknown) =>
    rows
      .map((row) =>
        JSON.stringify(
          columns.map(({ name }) => (doubles.has(name) && row[name] !== null ? Number(row[name]) : text(row[name]))),
        ),
      )
      .sort();
  const [a, b] = [lines(mine, (value) => value), lines(theirs.rows, trinoText)];
  const at = a.findIndex((line, i) => line !== b[i]);
  if (a.length !== b.length) problems.push(`${a.length} rows, and ${b.length}`);
  if (at >= 0) problems.push(`${a[at]}, and ${b[at]}`);
  return problems;
}

/** What readers of a machine and of a lake see differently, table by table; verdicts are among it. @param called how SQL calls readers' views */
export async function unequalToReaders(
  own: Pick<Warehouse, 'query'>,
  client: TrinoClient,
  called: (relation: string) => string,
): Promise<string[]> {
  const models = (await readModels()).map(({ name }) => name);
  const found = await mapAtOnce([...models, 'mart.reconciliation', 'mart.served_consistency'], atOnce, async (name) => {
    const problems = await differences(own, client, name, `SELECT * FROM ${called(name)}`, ['_load_id', 'fetched_at']);
    return problems.map((problem) => `${name}: ${problem}`);
  });
  return found.flat();
}

/** What one machine built, and the same models in a lake. */
interface Both {
  readonly own: Pick<Warehouse, 'query' | 'run'>;
  readonly client: TrinoClient;
  readonly rendering: Rendering;
}

/** What differs between the readings of metrics by their variants, in words. */
export async function variantDifferences({ own, client, rendering }: Both): Promise<string[]> {
  const variants = (await readModels()).flatMap(({ name, metric }) =>
    Object.keys(metric?.variants ?? {}).map((variant) => ({ name, variant })),
  );
  // What is asked by a variable is asked first: the lake is asked for many at once.
  for (const { name, variant } of variants) {
    await own.run(`SET VARIABLE firn_variant = '${variant}'`);
    await own.run(`CREATE TEMP TABLE "${name} ${variant}" AS SELECT * FROM ${name}`);
  }
  await own.run('RESET VARIABLE firn_variant');
  const found = await mapAtOnce(variants, atOnce, async ({ name, variant }) => {
    const sql = renderForTrino(`SELECT * FROM ${name}`, { ...rendering, scope: { firn_variant: variant } });
    const problems = await differences(own, client, `"${name} ${variant}"`, sql);
    return problems.map((problem) => `${name} ${variant}: ${problem}`);
  });
  return variants.length > 40 ? found.flat() : [`only ${variants.length} variants were compared`];
}

/** The audits that find another number of rows, in words. */
export async function auditDifferences({ own, client, rendering }: Both): Promise<string[]> {
  const audits = await readAudits();
  const found = await mapAtOnce(audits, atOnce, async ({ name, sql }) => {
    const [mine] = await own.query<{ failed: bigint }>(`SELECT count(*) AS failed FROM (${sql})`);
    const { rows } = await client.run<{ failed: bigint }>(
      `SELECT count(*) AS failed FROM (${renderForTrino(sql, rendering)})`,
      { query_max_stage_count: '600' },
    );
    return mine?.failed === rows[0]?.failed ? [] : [`${name}: ${mine?.failed} rows, and ${rows[0]?.failed}`];
  });
  return audits.length > 30 ? found.flat() : [`only ${audits.length} audits were compared`];
}
