/** What DuckDB's `json_serialize_sql` says of a text. */
export interface SyntaxTree {
  readonly error: boolean;
  readonly error_type?: string;
  readonly error_message?: string;
  /** Where the error is in the text. */
  readonly position?: string;
  readonly statements?: readonly unknown[];
}

/** A text of JSON, or a number that JSON does not have. */
const textOrOddNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\b(?:Infinity|NaN)\b/gs;

/**
 * Reads a syntax tree. DuckDB writes numbers beyond a double, such as 1e400, into it as Infinity, which JSON does not have: they become
 * null, and everything else stays, since no number decides what a statement reads.
 */
export const parseTree = (json: string): SyntaxTree =>
  JSON.parse(json.replace(textOrOddNumber, (found) => (found.startsWith('"') ? found : 'null'))) as SyntaxTree;
