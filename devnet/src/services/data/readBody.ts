import { Problem } from '../../problem.ts';
import type { ServiceRequest } from '../../types.ts';

/** The JSON object in a request's body. Throws a 400 where it is not an object. */
export function readBody(request: ServiceRequest): Readonly<Record<string, unknown>> {
  let body: unknown;
  try {
    body = JSON.parse(request.body || '{}');
  } catch (cause) {
    throw new Problem(400, cause instanceof Error ? cause.message : 'the body is not valid JSON');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Problem(400, 'the body must be a JSON object');
  return body as Readonly<Record<string, unknown>>;
}
