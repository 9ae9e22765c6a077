/**
 * A text as an SQL literal. DuckDB ends a statement at a NUL, and ids and names from outside may hold one: it is written as `chr(0)`.
 * Values go as parameters wherever SQL takes them; this is for where it does not.
 */
export const literal = (text: string): string => {
  const parts = text.split('\0').map((part) => `'${part.replaceAll("'", "''")}'`);
  return parts.length === 1 ? (parts[0] as string) : `(${parts.join(' || chr(0) || ')})`;
};

/** The same of a text that may be missing. */
export const literalOrNull = (text: string | null | undefined): string => (text == null ? 'NULL' : literal(text));

/** SQL of DuckDB and Trino that gives `keys` as those of a lookup. One list: of 5,000 SELECTs DuckDB makes 5,000 tables. */
export const keyList = (keys: readonly string[]): string =>
  keys.length === 0
    ? 'SELECT CAST(NULL AS VARCHAR) AS "key" WHERE false'
    : `SELECT "key" FROM (VALUES ${keys.map((key) => `(${literal(key)})`).join(', ')}) AS listed ("key")`;

/** A name as an SQL identifier. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Whether two rows, by what SQL calls them, are equal in some columns; NULL equals NULL. */
export const sameRow = (a: string, b: string, columns: readonly string[]): string =>
  columns.map((name) => `${a}.${identifier(name)} IS NOT DISTINCT FROM ${b}.${identifier(name)}`).join(' AND ');

/** The condition that columns have these values, which the statement takes by their names. */
export const hasValues = (values: Readonly<Record<string, unknown>>): string =>
  Object.keys(values)
    .map((name) => `"${name}" = $${name}`)
    .join(' AND ') || 'true';

/** The condition that a note is of a partition. */
export const ofPartition = (stream: string, partition: string): string =>
  `stream = ${literal(stream)} AND "partition" = ${literal(partition)}`;

/** `schema.table` as SQL identifiers. */
export const qualified = (table: { readonly schema: string; readonly name: string }): string =>
  `${identifier(table.schema)}.${identifier(table.name)}`;

/** A relation as people write it. */
export const nameOf = ({ schema, name }: { schema: string; name: string }): string => `${schema}.${name}`;
