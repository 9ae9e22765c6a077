import { badRequest } from './problem.ts';

/** Reads one parameter from all values given for it; adds a message for each rule it breaks. */
export type Parameter<T> = (values: readonly string[], name: string, problems: string[]) => T;

type Values<S> = { [K in keyof S]: S[K] extends Parameter<infer T> ? T : never };

/**
 * Reads a query by a table of parameters.
 * Throws one 400 that lists every broken rule. A parameter the table does not name is refused too, unless `allowUnknown`.
 */
export function readParameters<S extends Readonly<Record<string, Parameter<unknown>>>>(
  query: URLSearchParams,
  table: S,
  allowUnknown = false,
): Values<S> {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, read] of Object.entries(table)) values[name] = read(query.getAll(name), name, problems);
  if (!allowUnknown) {
    for (const name of new Set(query.keys())) {
      if (!Object.hasOwn(table, name)) problems.push(`property ${name} should not exist`);
    }
  }
  if (problems.length > 0) throw badRequest(...problems);
  return values as Values<S>;
}
