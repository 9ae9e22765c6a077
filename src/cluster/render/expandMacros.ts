import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sqlFolder } from '../../load/packageFiles.ts';

/** A macro: the names of its parameters, and the text that a call becomes. */
export interface Macro {
  readonly parameters: readonly string[];
  readonly body: readonly string[];
}

/** The macros that a file defines with `CREATE OR REPLACE MACRO name(a, b) AS body;`, by name. */
export function readMacros(text: string): Map<string, Macro> {
  const found = sqlTokens(text)
    .join('')
    .matchAll(/^CREATE OR REPLACE MACRO (\w+)\((.*?)\) AS (.*?);$/gms);
  return new Map(
    Array.from(found, ([, name = '', parameters = '', body = '']) => [
      name,
      { parameters: parameters.match(/\w+/g) ?? [], body: sqlTokens(body) },
    ]),
  );
}

/** A statement in which every call of a macro has become its text. Names count in any case; comments go. */
export function expandMacros(sql: string, macros: ReadonlyMap<string, Macro>): string {
  return expand(sqlTokens(sql), macros);
}

function expand(tokens: readonly string[], macros: ReadonlyMap<string, Macro>): string {
  let text = '';
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as string;
    const isCall = tokens[at + 1] === '(' && tokens[at - 1] !== '.';
    const macro = isCall ? macros.get(token.toLowerCase()) : undefined;
    if (!macro) {
      text += token;
      continue;
    }
    const { values, end } = argumentsFrom(tokens, at + 2);
    const given = values.map((value) => atomic(expand(value, macros).trim()));
    text += macro.body.map((part) => given[macro.parameters.indexOf(part)] ?? part).join('');
    at = end;
  }
  return text;
}

/** The arguments of a call that stand from a token on, and the token that closes it. */
function argumentsFrom(tokens: readonly string[], from: number): { values: string[][]; end: number } {
  const values: string[][] = [[]];
  let depth = 1;
  for (let end = from; ; end++) {
    const token = tokens[end];
    if (token === '(' || token === '[') depth += 1;
    if (token === ')' || token === ']') depth -= 1;
    if (depth === 0 || token === undefined) return { values, end };
    if (token === ',' && depth === 1) values.push([]);
    else values.at(-1)?.push(token);
  }
}

/** In brackets where operators around it could tear it apart. A lambda is no value and gets none. */
const atomic = (value: string): string => (/^[\w."]+$|->/.test(value) ? value : `(${value})`);

/**
 * The words, texts, blanks and signs of a SQL statement in their order; joined they are the statement without its comments.
 *
 * @returns texts and quoted names as one token each, quotes included
 */
export function sqlTokens(sql: string): string[] {
  const tokens = sql.match(/'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*.*?\*\/|\w+|\s+|./gs) ?? [];
  return tokens.filter((token) => !/^(--|\/\*)/.test(token));
}

let own: ReadonlyMap<string, Macro> | undefined;

/** The macros of `sql/trino/macros.sql`, read once. */
export function trinoMacros(): ReadonlyMap<string, Macro> {
  own ??= readMacros(readFileSync(join(sqlFolder('trino'), 'macros.sql'), 'utf8'));
  return own;
}
