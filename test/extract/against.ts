import { onTestFinished } from 'vitest';
import { FirnError } from '../../src/core/firnError.ts';
import { createHttp, type HttpOptions } from '../../src/extract/http.ts';
import type { Origin } from '../../src/extract/origin.ts';
import { fakeClock } from './fakeClock.ts';
import { type Answer, localServer } from './localServer.ts';

/** A client of a local server that answers so, by a clock of its own; both are closed after the test. */
export async function against(answer: Answer, origin: Partial<Origin> = {}, options: Partial<HttpOptions> = {}) {
  const server = await localServer(answer);
  const clock = fakeClock();
  const http = createHttp({ origin: { url: server.url, ...origin }, clock, random: () => 0.5, ...options });
  onTestFinished(() => http.close());
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
