/**
 * The words, texts, blanks and signs of a SQL statement in their order; joined they are the statement without its comments.
 *
 * @returns texts and quoted names as one token each, quotes included
 */
export function sqlTokens(sql: string): string[] {
  const tokens = sql.match(/'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*.*?\*\/|\w+|\s+|./gs) ?? [];
  return tokens.filter((token) => !/^(--|\/\*)/.test(token));
}
