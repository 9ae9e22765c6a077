import type { Raw, ServiceRequest, ServiceResponse } from '../types.ts';
import { type Args, toArgs } from './args.ts';
import { goString, RpcError } from './rpcError.ts';

/**
 * Runs one method, whose first letter is a capital; null if the service has no such method. Throws RpcError.
 * The result is JSON as text or, where it is large, as bytes.
 */
export type Json2Call = (method: string, args: Args) => Raw | Uint8Array | null;

const jsonHeaders = { 'content-type': 'application/json; charset=utf-8' };

/**
 * Answers one request to an endpoint of the index, platform, avm, avax, info or validators kind, in every detail as the node's
 * JSON-RPC library does: no batches, errors with status 200, nothing at all for a request without an id.
 */
export function answerJson2(request: ServiceRequest, service: string, call: Json2Call): ServiceResponse {
  if (request.method !== 'POST') return plain(405, `rpc: POST method required, received ${request.method}`);
  const contentType = (request.headers['content-type'] ?? '').split(';')[0] ?? '';
  if (contentType.toLowerCase() !== 'application/json') {
    return plain(415, `rpc: unrecognized Content-Type: ${contentType}`);
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(request.body);
  } catch {
    return parseError(decodeError(request.body));
  }
  if (typeof parsed !== 'object' || Array.isArray(parsed)) {
    const kind = Array.isArray(parsed) ? 'array' : typeof parsed === 'boolean' ? 'bool' : typeof parsed;
    return parseError(`json: cannot unmarshal ${kind} into Go value of type json2.serverRequest`);
  }
  const { jsonrpc, method = '', params = null, id = null } = (parsed ?? {}) as Record<string, unknown>;
  if (id === null) return { status: 200, headers: { 'content-type': '' }, body: '' };
  const idText = JSON.stringify(id);
  if (jsonrpc !== '2.0') {
    const echo = `{"jsonrpc":${JSON.stringify(jsonrpc ?? '')},"method":${JSON.stringify(method)},"params":${JSON.stringify(params)},"id":${idText}}`;
    return answer(`"error":{"code":-32600,"message":"jsonrpc must be 2.0","data":${echo}}`, idText);
  }
  try {
    const result = dispatch(String(method), params, service, call);
    if (typeof result === 'string') return answer(`"result":${result}`, idText);
    const parts = [Buffer.from('{"jsonrpc":"2.0","result":'), result, Buffer.from(`,"id":${idText}}\n`)];
    return { status: 200, headers: jsonHeaders, body: Buffer.concat(parts) };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return answer(`"error":{"code":${error.code},"message":${goString(error.message)},"data":null}`, idText);
  }
}

function dispatch(method: string, params: unknown, service: string, call: Json2Call): Raw | Uint8Array {
  const parts = method.split('.');
  const [name = '', own = ''] = parts;
  const capital =
    parts.length < 2
      ? method
      : `${name}.${method.slice(name.length + 1, name.length + 2).toUpperCase()}${method.slice(name.length + 2)}`;
  if (parts.length !== 2) throw new RpcError(`rpc: service/method request ill-formed: ${JSON.stringify(capital)}`);
  if (name !== service) throw new RpcError(`rpc: can't find service ${JSON.stringify(capital)}`);
  const result = call(own.charAt(0).toUpperCase() + own.slice(1), toArgs(params));
  if (result === null) throw new RpcError(`rpc: can't find method ${JSON.stringify(capital)}`);
  return result;
}

export function plain(status: number, body: string): ServiceResponse {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}

function answer(member: string, id: string): ServiceResponse {
  return {
    status: 200,
    headers: jsonHeaders,
    body: `{"jsonrpc":"2.0",${member},"id":${id}}\n`,
  };
}

function parseError(message: string): ServiceResponse {
  const nothing = '{"jsonrpc":"","method":"","params":null,"id":null}';
  return answer(`"error":{"code":-32700,"message":${goString(message)},"data":${nothing}}`, 'null');
}

/** The Go decoder's wording for the cases that matter: empty, cut off, and not JSON. */
function decodeError(body: string): string {
  const text = body.trim();
  if (text === '') return 'EOF';
  const first = text.charAt(0);
  if (!'{["-0123456789tfn'.includes(first)) return `invalid character '${first}' looking for beginning of value`;
  return 'unexpected EOF';
}
