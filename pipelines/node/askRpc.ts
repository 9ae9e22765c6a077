import type { Asking, PartitionWith, Request, RpcCall, RpcOutcome } from '../../src/index.ts';

export type RpcRequest = Extract<Request, { readonly kind: 'rpc' }>;

/**
 * Asks one JSON-RPC call, and reads its result.
 *
 * @param read throws FirnError `contract` for a result that is not what was asked for: the call is then sent again
 */
export function* askRpc<T>(request: RpcRequest, read: (result: unknown) => T): Asking<T> {
  const { body } = yield { ...request, call: { ...request.call, check: read } };
  return read(body);
}

/** Asks many calls; gives their outcomes in their order. @param raw steps inside each result to what comes as RawValues */
export function* askMany(
  path: string,
  calls: readonly RpcCall[],
  raw?: readonly string[],
): Asking<readonly RpcOutcome[]> {
  if (calls.length === 0) return [];
  const { body } = yield { kind: 'rpcMany', path, calls, raw };
  return body as readonly RpcOutcome[];
}

/** Pages of a stream that asks one question without parameters at the path of its partition. */
export const asking = (method: string, check?: RpcRequest['call']['check']) =>
  function* ({ settings: { path } }: PartitionWith<{ readonly path: string }>): Generator<RpcRequest> {
    yield { kind: 'rpc', path, call: { method, params: [], ...(check && { check }) } };
  };
