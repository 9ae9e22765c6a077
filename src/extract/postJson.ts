/**
 * Posts JSON to an address that the configuration names. A redirect is an error: following it would carry headers and body to a place that
 * nobody chose.
 *
 * @returns the answer without its body
 */
export async function postJson(
  url: string,
  body: unknown,
  {
    headers,
    signal,
  }: { readonly headers?: Readonly<Record<string, string>> | undefined; readonly signal: AbortSignal },
): Promise<Response> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    redirect: 'error',
    signal,
  });
  await answer.body?.cancel();
  return answer;
}

/** Why that failed: `fetch` has the reason in the cause of its error. */
export const postProblem = (error: unknown): string =>
  error instanceof Error ? ((error.cause as Error | undefined)?.message ?? error.message) : String(error);
