import { z } from 'zod';
import { badRequest } from '../../problem.ts';
import type { ServiceRequest } from '../../types.ts';
import type { ServiceContext } from '../serviceContext.ts';

/** Reads the query of a request. Throws one 400 that lists every broken rule. */
export type ReadQuery<T> = (context: ServiceContext, request: ServiceRequest) => T;

/** Reads queries by a table of parameters. One that the table does not name is refused too, unless the network allows it. */
export function queryOf<S extends z.core.$ZodLooseShape>(table: S): ReadQuery<z.output<z.ZodObject<S>>> {
  const [strict, loose] = [z.strictObject(table), z.object(table)];
  return ({ options }, { query }) => {
    const names = new Set([...Object.keys(table), ...query.keys()]);
    const values = Object.fromEntries([...names].map((name) => [name, query.getAll(name)]));
    const { data, error } = (options.allowUnknownParameters ? loose : strict).safeParse(values);
    if (error) throw badRequest(...error.issues.flatMap(messagesOf));
    return data as z.output<z.ZodObject<S>>;
  };
}

/** The sentences of a problem, as class-validator writes them: `$property` is the name of the member. */
function messagesOf(issue: z.core.$ZodIssue): string[] {
  if (issue.code === 'unrecognized_keys') return issue.keys.map((name) => `property ${name} should not exist`);
  return [issue.message.replaceAll('$property', issue.path.join('.'))];
}

/** For endpoints without parameters. */
export const noQuery = queryOf({});
