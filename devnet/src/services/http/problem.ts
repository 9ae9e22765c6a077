import type { ServiceResponse } from '../../types.ts';

const reasons: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  503: 'Service Unavailable',
};

/** A refusal. Validation problems carry a list of messages, as class-validator writes them; everything else one sentence. */
export class Problem extends Error {
  readonly status: number;
  readonly detail: string | readonly string[];

  constructor(status: number, detail: string | readonly string[]) {
    super(typeof detail === 'string' ? detail : detail.join('; '));
    this.status = status;
    this.detail = detail;
  }

  /** The body every endpoint answers errors with: `{ message, error, statusCode }`. */
  toResponse(): ServiceResponse {
    const body = { message: this.detail, error: reasons[this.status] ?? 'Error', statusCode: this.status };
    return { status: this.status, body: JSON.stringify(body) };
  }
}

/** 400 with the messages as a list. */
export const badRequest = (...messages: readonly string[]): Problem => new Problem(400, messages);

/** 404 with one sentence. */
export const notFound = (message: string): Problem => new Problem(404, message);
