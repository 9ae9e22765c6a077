import type { Devnet } from '../src/startDevnet.ts';

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Posts a JSON body as it is. */
export async function post(devnet: Devnet, path: string, body: unknown): Promise<Answer> {
  const response = await fetch(devnet.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, body: await response.text() };
}

/** The result of one JSON-RPC call, or its error message with `error: ` before it. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export async function call(devnet: Devnet, path: string, method: string, params: unknown): Promise<any> {
  const { status, body } = await post(devnet, path, { jsonrpc: '2.0', id: 1, method, params });
  if (status !== 200) return `status ${status}: ${body}`;
  const { result, error } = JSON.parse(body);
  return error === undefined ? result : `error: ${error.message}`;
}
