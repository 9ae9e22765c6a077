import type { Raw, ServiceRequest, ServiceResponse } from '../types.ts';
import { plain } from './json2.ts';
import { goString, RpcError } from './rpcError.ts';

const bodyLimit = 5 * 1024 * 1024;
const batchLimit = 1000;
const batchAnswerLimit = 25_000_000;

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: unknown;
}

/**
 * Answers one request to an EVM chain's RPC as go-ethereum's server does: single calls and batches, its limits, its wording.
 * Throws nothing.
 */
export function answerEvm(
  request: ServiceRequest,
  call: (method: string, params: unknown) => Raw,
  batches: boolean,
): ServiceResponse {
  const length = Buffer.byteLength(request.body);
  if (request.method === 'GET' && length === 0) return { status: 200, headers: { 'content-type': '' }, body: '' };
  if (request.method === 'PUT' || request.method === 'DELETE') return plain(405, 'method not allowed\n');
  if (length > bodyLimit) return plain(413, `content length too large (${length}>${bodyLimit})\n`);
  const contentType = (request.headers['content-type'] ?? '').split(';')[0]?.trim();
  if (contentType !== 'application/json' && contentType !== 'application/json-rpc') {
    return plain(415, 'invalid content type, only application/json is supported\n');
  }
  if (request.body.trim() === '') return json('');
  let parsed: unknown;
  try {
    parsed = JSON.parse(request.body);
  } catch {
    return json(failure(null, -32700, 'parse error'));
  }
  if (!Array.isArray(parsed)) return json(answerOne(parsed, call) ?? '', '\n');
  if (!batches) return json(failure(null, -32600, 'batch requests are not supported'), '\n');
  return answerBatch(parsed, call);
}

function answerBatch(items: readonly unknown[], call: (method: string, params: unknown) => Raw): ServiceResponse {
  if (items.length === 0) return json(failure(null, -32600, 'empty batch'));
  if (items.length > batchLimit) {
    const first = items.map(toCall).find((item) => item !== null && item.id !== undefined);
    return json(`[${failure(first?.id ?? null, -32600, 'batch too large')}]`);
  }
  const texts: string[] = [];
  let size = 0;
  for (const item of items) {
    const text: string | null =
      size > batchAnswerLimit
        ? answerOne(item, () => {
            throw new RpcError('response too large', -32003);
          })
        : answerOne(item, call);
    if (text === null) continue;
    texts.push(text);
    size += text.length;
  }
  return texts.length === 0 ? json('') : json(`[${texts.join()}]`, '\n');
}

/** The answer to one call; null for a notification. */
function answerOne(item: unknown, call: (method: string, params: unknown) => Raw): string | null {
  const known = toCall(item);
  if (known === null) {
    const id = (item as { id?: unknown } | null)?.id;
    return failure(typeof id === 'string' || typeof id === 'number' ? id : null, -32600, 'invalid request');
  }
  if (known.id === undefined) return null;
  try {
    return `{"jsonrpc":"2.0","id":${JSON.stringify(known.id)},"result":${call(known.method, known.params)}}`;
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return failure(known.id, error.code, error.message);
  }
}

function toCall(item: unknown): Call | null {
  if (typeof item !== 'object' || item === null) return null;
  const { jsonrpc, id, method, params } = item as Record<string, unknown>;
  if (jsonrpc !== '2.0' || typeof method !== 'string' || method === '' || (typeof id === 'object' && id !== null))
    return null;
  return { id, method, params };
}

function failure(id: unknown, code: number, message: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":{"code":${code},"message":${goString(message)}}}`;
}

function json(text: string, end = ''): ServiceResponse {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: text === '' ? '' : text + end };
}
