import { FirnError } from '../../core/firnError.ts';
import { meant } from '../../core/input/meant.ts';
import { identifier, literal } from '../../core/text/sqlText.ts';
import { askedFilters, type Filter } from './askedFilters.ts';

/** The SQL of operators that compare. */
const sqlOf: Readonly<Record<string, string>> = {
  eq: '=',
  ne: 'IS DISTINCT FROM',
  lt: '<',
  le: '<=',
  gt: '>',
  ge: '>=',
};

/** Rows of a published table that somebody asks for. */
export interface TableQuery {
  readonly filters: readonly Filter[];
  /** Columns, with `-` before them for the largest first; none for the order of the table. */
  readonly sort: readonly string[];
  /** Rows that are skipped, and the most that are shown. */
  readonly from: number;
  readonly most: number;
  /** The whole of it, without a limit. */
  readonly sql: string;
  /** The same for a page of it: where it is sorted, rows that are equal by that are sorted by all that is shown of them. */
  readonly pageSql: string;
}

/** Rows of a page by default, and the most that may be asked for. */
const rowsPerPage = 50;
const mostRows = 1000;

/** What an address may ask of a table. */
const names = ['c', 'o', 'v', 'sort', 'column', 'from', 'most'];

/**
 * Reads what an address asks of a table: `c`, `o` and `v`, each as often as there are filters (column, operator, value), `sort`,
 * `column` for those that are shown, `from` and `most`.
 *
 * @param columns of the table, with their types
 * @throws FirnError `usage` for unknown columns, operators and parameters, for what is no number, and for more rows than a page has
 */
export function tableQuery(
  relation: string,
  columns: ReadonlyMap<string, string>,
  parameters: URLSearchParams,
): TableQuery {
  const foreign = [...parameters.keys()].find((name) => !names.includes(name));
  if (foreign !== undefined)
    throw new FirnError('usage', `A table is not asked by "${foreign}". ${meant(foreign, names)}`);
  const filters = askedFilters(parameters).filter(({ column, operator, value }) => {
    known(column, columns);
    // Everything contains nothing.
    return operator !== 'has' || value !== '';
  });
  const sort = parameters.getAll('sort').filter((name) => name !== '');
  const order = sort.map(
    (name) => `${identifier(known(name.replace(/^-/, ''), columns))}${name.startsWith('-') ? ' DESC' : ''} NULLS LAST`,
  );
  const shown = parameters.getAll('column').map((name) => identifier(known(name, columns)));
  const [schema = '', name = ''] = relation.split(/\.(.*)/s);
  // Of rows that are equal in what they are sorted by, DuckDB gives now these and now those first: a page would repeat some of the last one.
  const ties = shown.length === 0 ? [...columns.keys()].map(identifier) : shown;
  const where = filters.map((filter) => condition(filter, columns.get(filter.column) ?? 'VARCHAR'));
  const sorted = (by: readonly string[]) =>
    [
      `SELECT ${shown.length === 0 ? '*' : shown.join(', ')} FROM ${identifier(schema)}.${identifier(name)}`,
      ...(where.length === 0 ? [] : [`WHERE ${where.join(' AND ')}`]),
      ...(order.length === 0 ? [] : [`ORDER BY ${by.join(', ')}`]),
    ].join('\n');
  return {
    filters,
    sort,
    from: wholeNumber(parameters, 'from', 0),
    most: pageLength(parameters),
    sql: sorted(order),
    pageSql: sorted([...order, ...ties]),
  };
}

function known(column: string, columns: ReadonlyMap<string, string>): string {
  if (columns.has(column)) return column;
  throw new FirnError('usage', `There is no column "${column}". ${meant(column, [...columns.keys()])}`);
}

/** Compared as what the column is; searched as its text. */
function condition({ column, operator, value }: Filter, type: string): string {
  const name = identifier(column);
  if (operator === 'null') return `${name} IS NULL`;
  if (operator === 'given') return `${name} IS NOT NULL`;
  if (operator === 'has') return `contains(lower(CAST(${name} AS VARCHAR)), lower(${literal(value)}))`;
  // TIMESTAMP alone would leave the offset of a zone out.
  const given = type === 'TIMESTAMP' ? `CAST(${literal(value)} AS TIMESTAMPTZ)` : literal(value);
  return `${name} ${sqlOf[operator]} CAST(${given} AS ${type})`;
}

function pageLength(parameters: URLSearchParams): number {
  const most = wholeNumber(parameters, 'most', rowsPerPage);
  if (most >= 1 && most <= mostRows) return most;
  throw new FirnError(
    'usage',
    `"most" must be from 1 to ${mostRows}, not ${most}. Ask for the rows after these by "from", or for all of them as .csv or .parquet.`,
  );
}

function wholeNumber(parameters: URLSearchParams, name: string, standard: number): number {
  const text = parameters.get(name);
  if (text === null || text === '') return standard;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new FirnError('usage', `"${name}" must be a whole number such as 100, not "${text}".`);
}
