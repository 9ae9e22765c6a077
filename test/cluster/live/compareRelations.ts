import type { Engine } from '../../../src/cluster/contract.ts';
import type { Warehouse } from '../../../src/load/warehouse.ts';

/** DuckDB's types and the ones that Trino must have in their places. */
const sameTypes: readonly (readonly [string, RegExp])[] = [
  ['VARCHAR', /^varchar/],
  ['TIMESTAMP', /^timestamp\(6\)$/],
  ['BIGINT', /^bigint$/],
  ['INTEGER', /^integer$/],
  ['BOOLEAN', /^boolean$/],
  ['DOUBLE', /^double$/],
  ['DATE', /^date$/],
  ['UBIGINT', /^decimal\(20,0\)$/],
  ['DECIMAL(38,0)', /^decimal\(38,0\)$/],
  ['DECIMAL(38,18)', /^decimal\(38,18\)$/],
  ['VARCHAR[]', /^array\(varchar/],
  ['BLOB', /^varbinary$/],
];

interface Column {
  readonly name: string;
  readonly type: string;
}

function duckDbText({ name, type }: Column): string {
  if (type === 'TIMESTAMP') return `strftime("${name}", '%Y-%m-%d %H:%M:%S.%f')`;
  if (type === 'VARCHAR[]') return `array_to_string("${name}", '|')`;
  return type === 'BLOB' ? `hex("${name}")` : `CAST("${name}" AS VARCHAR)`;
}

function trinoText({ name, type }: Column): string {
  if (type === 'VARCHAR[]') return `array_join("${name}", '|')`;
  return type === 'BLOB' ? `to_hex("${name}")` : `CAST("${name}" AS VARCHAR)`;
}

/**
 * What differs between a relation in DuckDB and one in Trino, in words: types, or rows as they stand, how often each, and every digit.
 * Nothing where nothing does.
 *
 * @param except columns that mean nothing to the other one, such as numbers of loads
 */
export async function differences(
  warehouse: Pick<Warehouse, 'query'>,
  engine: Engine,
  own: string,
  rendered: string,
  except: readonly string[] = [],
): Promise<{ rows: number; problems: string[] }> {
  const described = await warehouse.query<{ column_name: string; column_type: string }>(
    `DESCRIBE SELECT * FROM ${own}`,
  );
  const columns = described
    .map(({ column_name, column_type }) => ({ name: column_name, type: column_type }))
    .filter(({ name }) => !except.includes(name));
  const problems: string[] = [];
  const types = await engine.query<Record<string, string>>(
    `SELECT ${columns.map(({ name }) => `typeof(arbitrary("${name}")) AS "${name}"`).join(', ')} FROM (${rendered})`,
  );
  for (const { name, type } of columns) {
    const theirs = types[0]?.[name] ?? 'missing';
    if (!sameTypes.find(([mine]) => mine === type)?.[1].test(theirs))
      problems.push(`${name} is ${type}, and ${theirs}`);
  }
  const [mine, theirs] = await Promise.all([
    warehouse.query<Record<string, unknown>>(
      `SELECT ${columns.map((column) => `${duckDbText(column)} AS "${column.name}"`).join(', ')} FROM ${own}`,
    ),
    engine.query<Record<string, unknown>>(
      `SELECT ${columns.map((column) => `${trinoText(column)} AS "${column.name}"`).join(', ')} FROM (${rendered})`,
    ),
  ]);
  const doubles = new Set(columns.filter(({ type }) => type === 'DOUBLE').map(({ name }) => name));
  const lines = (rows: readonly Record<string, unknown>[]) =>
    rows
      .map((row) =>
        JSON.stringify(
          columns.map(({ name }) => (doubles.has(name) && row[name] !== null ? Number(row[name]) : row[name])),
        ),
      )
      .sort();
  const [a, b] = [lines(mine), lines(theirs)];
  const at = a.findIndex((line, i) => line !== b[i]);
  if (a.length !== b.length) problems.push(`${a.length} rows, and ${b.length}`);
  if (at >= 0) problems.push(`${a[at]}, and ${b[at]}`);
  return { rows: a.length, problems };
}
