import type { RpcCall } from '../../core/requests/request.ts';

/** The texts of as many of the `pending` calls as make one batch, the first at least. Their ids count up from `firstId`. */
export function batchTexts(
  calls: readonly RpcCall[],
  pending: readonly number[],
  firstId: number,
  limits: { readonly calls: number; readonly bytes: number },
): string[] {
  const texts: string[] = [];
  let bytes = 2;
  for (const index of pending.slice(0, limits.calls)) {
    const text = callText(firstId + texts.length, calls[index] as RpcCall);
    bytes += Buffer.byteLength(text) + 1;
    if (texts.length > 0 && bytes > limits.bytes) break;
    texts.push(text);
  }
  return texts;
}

/** The text of one call. */
export function callText(id: number, { method, params }: RpcCall): string {
  return requestText({ jsonrpc: '2.0', id, method, params });
}

/** Text of a request body. Integers as bigint go out as decimal strings, which nodes take for numbers; a string is JSON text already. */
export function requestText(body: unknown): string {
  if (typeof body === 'string') return body;
  return JSON.stringify(body, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
}
