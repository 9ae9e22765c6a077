import type { Request, Response } from '../core/request.ts';

/**
 * Sends a request of a stream to its source; limits, retries and redaction lie behind it.
 *
 * @param sent told of each HTTP request that goes out for it: with retries, and where calls do not go as one batch, there are several
 */
export type Fetch = (request: Request, sent?: () => void) => Promise<Response>;

/**
 * Runs a generator that asks and is answered to its end. An error of a request is thrown into it, so that paging can take
 * another way (a refused page token, a method the node does not offer).
 */
export async function answer<T>(asking: Generator<Request, T, Response>, fetch: Fetch): Promise<T> {
  let step = asking.next();
  while (!step.done) {
    const request = step.value;
    let response: Response;
    try {
      response = await fetch(request);
    } catch (error) {
      step = asking.throw(error);
      continue;
    }
    step = asking.next(response);
  }
  return step.value;
}
