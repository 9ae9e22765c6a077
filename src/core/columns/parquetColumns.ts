import { FirnError } from '../firnError.ts';
import { identifier } from '../text/sqlText.ts';

/** A column as the catalogue of the state database describes it. */
export interface SourceColumn {
  readonly name: string;
  /** DuckDB type in the state database. */
  readonly type: string;
  readonly comment: string | null;
}

/** A column of the Parquet files. */
export interface ParquetColumn {
  readonly name: string;
  /** DuckDB type that `COPY` writes. */
  readonly type: string;
  /** SQL over the table of the state database. */
  readonly expression: string;
  /** Only for tools that read Parquet themselves; the reader database leaves it out. */
  readonly extra: boolean;
}

/**
 * Columns that may be floating point: quotients for plotting, whose exact terms stand beside them, and durations. `*` stands for
 * every column of a table. Raw columns never are.
 */
const allowedDoubles: ReadonlySet<string> = new Set([
  'mart.metric.value',
  'mart.metric_daily.*',
  'mart.reconciliation.own_value',
  'mart.reconciliation.served_value',
  'firn.model.seconds',
]);

/** Types that every common Parquet reader takes as they are. */
const portable = new Set([
  'BOOLEAN',
  'TINYINT',
  'SMALLINT',
  'INTEGER',
  'BIGINT',
  'DATE',
  'TIMESTAMP',
  'VARCHAR',
  'BLOB',
]);

/** Readers know few unsigned types, and `COPY` turns 128-bit integers into doubles: each goes to a type that holds it exactly. */
const replaced: Readonly<Record<string, string>> = {
  UTINYINT: 'SMALLINT',
  USMALLINT: 'INTEGER',
  UINTEGER: 'BIGINT',
  UBIGINT: 'DECIMAL(20,0)',
  HUGEINT: 'DECIMAL(38,0)',
  UHUGEINT: 'DECIMAL(38,0)',
  BIGNUM: 'VARCHAR',
  UUID: 'VARCHAR',
  JSON: 'VARCHAR',
  TIME: 'VARCHAR',
  INTERVAL: 'VARCHAR',
  TIMESTAMP_S: 'TIMESTAMP',
  TIMESTAMP_MS: 'TIMESTAMP',
};

/** Digits that Power BI and .NET decimals hold. */
const commonDigits = 28;

/**
 * The columns of a table's Parquet files: its own in their order, then for each DECIMAL of more than 28 digits
 * `<column>_exact`: its digits as text where a value really has more than 28, which many BI tools cannot hold, else NULL.
 * (It is empty for nearly every row, so it costs next to nothing; DuckDB's readers do not need it.) Timestamps are UTC.
 *
 * @throws FirnError `contract` for floating point outside the list, and for types that Parquet readers do not share
 */
export function parquetColumns(table: {
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly SourceColumn[];
}): readonly ParquetColumn[] {
  const names = new Set(table.columns.map(({ name }) => name));
  const own = table.columns.map((column): ParquetColumn => {
    const place = `${table.schema}.${table.name}`;
    const doubleAllowed = allowedDoubles.has(`${place}.${column.name}`) || allowedDoubles.has(`${place}.*`);
    const type = parquetType(column.type, doubleAllowed, `${place}.${column.name}`);
    return { name: column.name, type, expression: expressionOf(column, type), extra: false };
  });
  const exact = own
    .filter(({ name, type }) => isWide(type) && !names.has(`${name}_exact`))
    .map(({ name, expression }): ParquetColumn => {
      return { name: `${name}_exact`, type: 'VARCHAR', expression: exactText(name, expression, names), extra: true };
    });
  return [...own, ...exact];
}

function parquetType(type: string, doubleAllowed: boolean, where: string): string {
  if (type.endsWith('[]')) return `${parquetType(type.slice(0, -2), doubleAllowed, where)}[]`;
  if (portable.has(type) || /^DECIMAL\(\d+,\d+\)$/.test(type)) return type;
  if (type === 'TIMESTAMP WITH TIME ZONE') return 'TIMESTAMP';
  if (type.startsWith('ENUM(')) return 'VARCHAR';
  const other = replaced[type];
  if (other !== undefined) return other;
  if (type === 'DOUBLE' || type === 'FLOAT') {
    if (doubleAllowed) return 'DOUBLE';
    throw new FirnError(
      'contract',
      `Column ${where} is ${type}, which cannot hold amounts exactly, and is not published. ` +
        'Cast it to DECIMAL in its model (a sum is DECIMAL(38,0)).',
      { context: { column: where, type } },
    );
  }
  throw new FirnError(
    'contract',
    `Column ${where} has the type ${type}, which Parquet readers do not share, and is not published. ` +
      'Spread it over plain columns in its model, or cast it to VARCHAR.',
    { context: { column: where, type } },
  );
}

function expressionOf({ name, type }: SourceColumn, parquet: string): string {
  const column = identifier(name);
  if (type === parquet) return column;
  // A plain cast would give the session's own time zone.
  if (type === 'TIMESTAMP WITH TIME ZONE') return utcTimestamp(column);
  return `CAST(${column} AS ${parquet})`;
}

/** A column of a table as its files have it in time: moments are TIMESTAMP in UTC. */
export function utcColumn(table: { readonly columns: readonly SourceColumn[] }, name: string): string {
  const column = table.columns.find((candidate) => candidate.name === name);
  return column?.type === 'TIMESTAMP WITH TIME ZONE' ? utcTimestamp(identifier(name)) : identifier(name);
}

/** A moment as TIMESTAMP in UTC, whatever the session's time zone. */
const utcTimestamp = (column: string): string => `make_timestamp(epoch_us(${column}))`;

function isWide(type: string): boolean {
  const digits = /^DECIMAL\((\d+),/.exec(type)?.[1];
  return digits !== undefined && Number(digits) > commonDigits;
}

/** `<column>_text`, where a table has it, holds the digits that do not even fit the DECIMAL. */
function exactText(name: string, expression: string, names: ReadonlySet<string>): string {
  const text = `CASE WHEN length(replace(ltrim(CAST(${expression} AS VARCHAR), '-'), '.', '')) > ${commonDigits} THEN CAST(${expression} AS VARCHAR) END`;
  return names.has(`${name}_text`) ? `coalesce(${identifier(`${name}_text`)}, ${text})` : text;
}
