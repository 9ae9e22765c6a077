/** A text as an SQL literal. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** A name as an SQL identifier. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** `schema.table` as SQL identifiers. */
export const qualified = (table: { readonly schema: string; readonly name: string }): string =>
  `${identifier(table.schema)}.${identifier(table.name)}`;

/** A relation as people write it. */
export const nameOf = ({ schema, name }: { schema: string; name: string }): string => `${schema}.${name}`;
