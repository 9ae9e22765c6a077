/** A pattern in which `~` stands for anything that holds so many brackets in each other at most. */
function within(pattern: string, depth = 2): RegExp {
  let inside = '[^()]*';
  for (let i = 0; i < depth; i++) inside = `(?:[^()]|\\(${inside}\\))*`;
  return new RegExp(pattern.replace('~', `${inside}?`), 'gi');
}

/** What DuckDB and Trino read differently, or one of them inexactly, and mostly without a word; and what to write in its place. */
const differing: readonly (readonly [what: string, pattern: RegExp, instead: string])[] = [
  ['//', /\/\//g, 'whole_quotient(n, d)'],
  ['/', /(?<!\/)\/(?!\/)/g, 'quotient(n, d): Trino cuts the quotient of integers'],
  ['date_diff', /\bdate_?diff\s*\(/gi, 'seconds_between(earlier, later): DuckDB counts boundaries, Trino whole units'],
  ['avg', /\bavg\s*\(/gi, 'sums, and quotient(n, d): of decimals Trino gives a decimal'],
  ['unnest in SELECT', /(?<!\bJOIN\s|\bFROM\s)\bunnest\s*\(/gi, 'CROSS JOIN UNNEST(list) AS t (item)'],
  ['a subscript', /(?<!\bARRAY)(?<=[\w)\]"])\[(?!\])/gi, 'list_extract(list, place): Trino fails beyond the end'],
  ['INTERVAL without quotes', /\bINTERVAL\s+(?!')/gi, "INTERVAL '1' DAY"],
  ['INTERVAL below milliseconds', /\bINTERVAL\s+'[^']*'\s+MICROSECONDS?\b/gi, 'a TIMESTAMP with its digits'],
  ['TIMESTAMP without digits', /\bAS\s+TIMESTAMP\b(?!\()/gi, 'TIMESTAMP(6): Trino would cut to milliseconds'],
  [
    'substr from the end',
    within('\\bsubstr(?:ing)?\\s*\\(~(?:,|\\bFROM)\\s*-'),
    'a place from the beginning: of a shorter text Trino gives nothing',
  ],
  [
    'regexp_replace',
    within("\\bregexp_replace\\s*\\((?!~,\\s*'\\^_*',)", 4),
    'replace(..), or a pattern of one way that begins with ^: DuckDB replaces the first, Trino all',
  ],
  ['concat', /\bconcat\s*\(/gi, 'a || b: DuckDB leaves NULLs out, Trino gives NULL'],
  [
    'regexp_extract',
    /(?<!\bnullif\s*\(\s*)\bregexp_extract\s*\(/gi,
    "nullif(regexp_extract(..), ''): without a match DuckDB gives '', Trino NULL",
  ],
  [
    'split_part',
    /(?<!\bnullif\s*\(\s*)\bsplit_part\s*\(/gi,
    "nullif(split_part(..), ''): beyond the end DuckDB gives '', Trino NULL",
  ],
  [
    'extract(dow)',
    within('\\bextract\\s*\\(\\s*dow\\b(?!~\\)\\s*%\\s*7\\b)', 4),
    'extract(dow FROM moment) % 7: of a Sunday DuckDB gives 0, Trino 7',
  ],
  ['GROUP BY ALL', /\bGROUP\s+BY\s+ALL\b/gi, 'the expressions'],
  ['arg_max', /\b(?:arg_max|arg_min|max_by|min_by)\s*\(/gi, 'row_number() OVER (..): among equals each takes another'],
  ['an approximate count', /\bapprox_\w+\s*\(/gi, 'count(DISTINCT ..)'],
  ['DISTINCT ON', /\bDISTINCT\s+ON\b/gi, 'row_number() OVER (..)'],
  ['QUALIFY', /\bQUALIFY\b/gi, 'the window in a subquery, and WHERE around it'],
  ['IS TRUE', /\bIS\s+(?:NOT\s+)?(?:TRUE|FALSE)\b/gi, 'coalesce(value, false)'],
  ['ORDER BY ALL', /\bORDER\s+BY\s+ALL\b/gi, 'the columns'],
  ['::', /::/g, 'CAST(value AS type)'],
];

/** A call whose arguments hold one bracket in another at most. */
const extremes = within('\\b(least|greatest)\\s*\\((~)\\)');

/** One finding of a file. */
export interface DialectProblem {
  /** Line of the statement, from 1. */
  readonly line: number;
  /** What stands there and what to write. */
  readonly problem: string;
}

/** What stands in a model or an audit that DuckDB and Trino do not read alike, in the order of its lines. */
export function dialectProblems(sql: string): DialectProblem[] {
  // Texts and comments are blanked out, at once: each may hold what begins the other. The number of lines stays, and what a pattern is judged by.
  const bare = sql.replace(/'(?:[^']|'')*'|"[^"]*"|--[^\n]*|\/\*.*?\*\//gs, (found) => {
    if (found.startsWith('"')) return found;
    if (!found.startsWith("'")) return found.replace(/[^\n]/g, ' ');
    return `'${found.slice(1, -1).replace(/(?!^\^)[^\n|]/g, '_')}'`;
  });
  const lineAt = (index: number) => bare.slice(0, index).split('\n').length;
  const found = differing.flatMap(([what, pattern, instead]) =>
    Array.from(bare.matchAll(pattern), ({ index }) => ({ line: lineAt(index), problem: `${what}: write ${instead}` })),
  );
  for (const { 1: name = '', 2: values = '', index } of bare.matchAll(extremes)) {
    if (splitArguments(values).every(isNeverNull)) continue;
    const problem = `${name} of what may be NULL: write coalesce(..) for each argument: DuckDB leaves NULLs out, Trino gives NULL`;
    found.push({ line: lineAt(index), problem });
  }
  return found.sort((a, b) => a.line - b.line);
}

const isNeverNull = (value: string): boolean => /^\s*(?:coalesce\s*\(.*\)|'.*'|-?[\d.]+)\s*$/is.test(value);

/** Arguments that stand between commas outside of all brackets. */
const splitArguments = (values: string): string[] => values.match(/(?:[^(),]|\((?:[^()]|\([^()]*\))*\))+/g) ?? [];
