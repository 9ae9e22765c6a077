import { publishedSchemas } from '../../publish/files/publishedTables.ts';
import { type Scope, textInScope } from '../../transform/scope.ts';
import { expandMacros, type Macro, sqlTokens } from './expandMacros.ts';

/** What statements are rendered with. */
export interface Rendering {
  /** Of `sql/trino/macros.sql`. */
  readonly macros: ReadonlyMap<string, Macro>;
  /** The SELECTs of models that are kept as views, by lower-case `schema.name`. */
  readonly views: ReadonlyMap<string, string>;
  /** What is being built; all of it where nothing is said. */
  readonly scope?: Scope | undefined;
  /** How the lake calls a table. */
  readonly table: (name: string) => string;
  /** What is spelled differently; default: Trino's spelling. */
  readonly spellings?: readonly Spelling[];
}

type Spelling = readonly [RegExp, string];

/** What is spelled differently, besides macros. */
const ofTrino: readonly Spelling[] = [
  [/\bAS (?:NOT )?MATERIALIZED\b/g, 'AS'],
  [/\blambda (\w+):/g, '$1 ->'],
  [/\bCAST\((\w+) AS JSON\[\]\)/g, 'CAST(json_parse($1) AS ARRAY(JSON))'],
];

const schemas = new Set<string>([...publishedSchemas, 'information_schema']);

/**
 * A model's or an audit's SELECT in Trino's words: macros as their text, the scope as literals, which scans are cut by, and the views
 * that it reads as CTEs of the same scope, which no stored view would know. Rows of one that reads such views come in no order.
 */
export function renderForTrino(sql: string, rendering: Rendering): string {
  const { macros, views, scope = {}, table, spellings = ofTrino } = rendering;
  const needed = new Map<string, string>();
  const named = (name: string): string => {
    const view = views.get(name.toLowerCase());
    if (view === undefined) return table(name);
    if (!needed.has(name)) needed.set(name, relations(view, named));
    return `"${name}"`;
  };
  const body = relations(sql, named);
  const words = (text: string) => scoped(expandMacros(respelled(text, spellings), macros), scope);
  const ctes = [...needed].map(([name, text]) => `"${name}" AS (${words(text)}\n)`);
  return ctes.length === 0 ? words(body) : `WITH ${ctes.join(',\n')}\nSELECT * FROM (${words(body)}\n)`;
}

/** A statement with its tables under other names; a name is two words with a point between them, and no call. */
function relations(sql: string, named: (name: string) => string): string {
  const tokens = sqlTokens(sql);
  let text = '';
  for (let at = 0; at < tokens.length; at++) {
    const [schema = '', point, name] = tokens.slice(at, at + 3);
    const isTable = schemas.has(schema) && point === '.' && tokens[at - 1] !== '.' && tokens[at + 3] !== '(';
    text += isTable ? named(`${schema}.${name}`) : schema;
    if (isTable) at += 2;
  }
  return text;
}

const respelled = (sql: string, spellings: readonly Spelling[]): string =>
  spellings.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), sql);

const scoped = (sql: string, scope: Scope): string =>
  sql.replace(/getvariable\('(firn_\w+)'\)/g, (_, name: keyof Scope) => literalOf(name, scope[name]));

function literalOf(name: string, value: string | bigint | undefined): string {
  if (value === undefined) return 'NULL';
  return typeof value === 'bigint' ? String(value) : textInScope(name, value);
}
