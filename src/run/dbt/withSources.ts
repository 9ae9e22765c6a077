/** What the SQL may name. */
interface Names {
  /** Relations that are sources, as `schema.table`. */
  readonly known: ReadonlySet<string>;
  readonly macros: readonly string[];
  /** Where the macros are. */
  readonly catalogue: string;
}

/**
 * SQL whose relations are dbt sources and whose macros are named with their catalogue. Texts, comments and quoted names stay as they are.
 * By tokens, since SQL that DuckDB writes from its syntax tree has lost the comments and the layout meant for people.
 */
export function withSources(sql: string, { known, macros, catalogue }: Names): string {
  const token =
    /\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\b(\w+)\.(\w+)\b(?!\s*\()|(?<!\.)\b(\w+)(?=\()/g;
  return sql.replaceAll(token, (whole, schema?: string, table?: string, called?: string) => {
    if (called !== undefined) return macros.includes(called) ? `${catalogue}.main.${called}` : whole;
    return known.has(`${schema}.${table}`) ? `{{ source('${schema}', '${table}') }}` : whole;
  });
}
