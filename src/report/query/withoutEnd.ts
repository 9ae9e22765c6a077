/** What SQL is made of as far as it matters here: texts, names, comments, and single characters. */
const parts =
  /(?<text>[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|(?<tag>\$(?:[a-z_]\w*)?\$).*?\k<tag>)|(?<rest>--[^\n]*|\/\*.*?\*\/|[\s;])|./gisu;

/** A statement without the semicolons, blanks and comments at its end: inside of another one, they would not be understood, or hide what follows. */
export function withoutEnd(sql: string): string {
  let end = 0;
  for (const part of sql.matchAll(parts)) if (part.groups?.['rest'] === undefined) end = part.index + part[0].length;
  return sql.slice(0, end);
}
