import type { ServiceResponse } from './types.ts';

const reasons: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** The body of the services' errors. Validation problems carry a list of messages, as class-validator writes them; everything else one sentence. */
export function problem(status: number, message: string | readonly string[]): ServiceResponse {
  return { status, body: JSON.stringify({ message, error: reasons[status] ?? 'Error', statusCode: status }) };
}

/** A refusal that an endpoint throws. */
export class Problem extends Error {
  readonly response: ServiceResponse;

  constructor(status: number, detail: string | readonly string[]) {
    super(typeof detail === 'string' ? detail : detail.join('; '));
    this.response = problem(status, detail);
  }
}

/** 400 with the messages as a list. */
export const badRequest = (...messages: readonly string[]): Problem => new Problem(400, messages);

/** 404 with one sentence. */
export const notFound = (message: string): Problem => new Problem(404, message);
