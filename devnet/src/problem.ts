import { STATUS_CODES } from 'node:http';
import type { ServiceResponse } from './types.ts';

/** The body of the services' errors. Validation problems carry a list of messages, as class-validator writes them; everything else one sentence. */
export function problem(status: number, message: string | readonly string[]): ServiceResponse {
  return { status, body: JSON.stringify({ message, error: STATUS_CODES[status], statusCode: status }) };
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
