import type { Asking, PartitionWith, Request } from '../../src/index.ts';

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

/** Pages of a stream that asks one question without parameters at the path of its partition. */
export const asking = (method: string, check?: RpcRequest['call']['check']) =>
  function* ({ settings: { path } }: PartitionWith<{ readonly path: string }>): Generator<RpcRequest> {
    yield { kind: 'rpc', path, call: { method, params: [], ...(check && { check }) } };
  };
