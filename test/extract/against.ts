import { onTestFinished } from 'vitest';
import { FirnError } from '../../src/core/firnError.ts';
import type { Query } from '../../src/core/requests/request.ts';
import { createHttp, type HttpOptions } from '../../src/extract/http/http.ts';
import type { Origin } from '../../src/extract/http/origin.ts';
import { fakeClock } from './fakeClock.ts';
import { type Answer, localServer } from './localServer.ts';

/** A client that sends, in short. */
export function openHttp(options: HttpOptions) {
  const http = createHttp(options);
  onTestFinished(() => http.close());
  return {
    ...http,
    get: (path: string, query?: Query, weight?: number) => http.send({ method: 'GET', path, query, weight }),
    post: (path: string, query: Query | undefined, body: unknown) => http.send({ method: 'POST', path, query, body }),
  };
}

/** A client of a local server that answers so, by a clock of its own; both are closed after the test. */
export async function against(answer: Answer, origin: Partial<Origin> = {}, options: Partial<HttpOptions> = {}) {
  const server = await localServer(answer);
  const clock = fakeClock();
  const http = openHttp({ origin: { url: server.url, ...origin }, clock, random: () => 0.5, ...options });
  return { server, http, clock };
}

/** The error with which a request ends. */
export async function failing(request: Promise<unknown>): Promise<FirnError> {
  const error = await request.then(
    () => new Error('no error'),
    (cause: unknown) => cause,
  );
  if (!(error instanceof FirnError)) throw error;
  return error;
}
