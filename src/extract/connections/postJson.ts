import { request } from 'undici';
import { basicAuthorization } from './basicAuthorization.ts';
import { openConnections } from './openConnections.ts';

const connectMs = 10_000;

/**
 * Posts JSON to an address that the configuration names. User and password in it are sent as basic authorization.
 *
 * @returns the status of the answer, whose body nobody reads
 * @throws Error where there is none, or it is a redirect: following it would carry headers and body to a place that nobody chose
 */
export async function postJson(
  url: string,
  body: unknown,
  {
    headers,
    signal,
  }: { readonly headers?: Readonly<Record<string, string>> | undefined; readonly signal: AbortSignal },
): Promise<number> {
  const target = new URL(url);
  const { origin, pathname, search } = target;
  const authorization = basicAuthorization(target);
  const dispatcher = openConnections(origin, { connections: 1, timeout: connectMs });
  try {
    const answer = await request(`${origin}${pathname}${search}`, {
      dispatcher,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(authorization && { authorization }),
        ...headers,
      },
      body: JSON.stringify(body),
      signal,
    });
    const { statusCode: status } = answer;
    if (status >= 300 && status < 400) throw new Error(`it redirects (${status}), which is not followed`);
    return status;
  } finally {
    await dispatcher.destroy();
  }
}
