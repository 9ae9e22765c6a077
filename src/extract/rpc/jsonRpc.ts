import type { RpcCall, RpcOutcome } from '../../core/requests/request.ts';
import type { Http } from '../http/http.ts';
import type { HttpResponse } from '../http/sendOnce.ts';
import { createCallMany, type ManyOptions } from './callMany.ts';
import { type CallOptions, createRpcCall } from './rpcCall.ts';
import { openRpcPath } from './rpcPath.ts';

/** JSON-RPC 2.0 at one path of a server. */
export interface JsonRpc {
  /** @throws FirnError for errors of the server too: `not_offered`, `not_found`, `refused`, ... (context: rpcCode, rpcMessage) */
  call(method: string, params: unknown, options?: CallOptions): Promise<HttpResponse>;
  /**
   * Many calls in as few batches as the server takes, or one by one where it takes none. Errors of single calls are
   * outcomes; what concerns all of them is thrown.
   */
  callMany(calls: readonly RpcCall[], options?: ManyOptions): Promise<HttpResponse<RpcOutcome[]>>;
}

/**
 * @param path below the URL of `http`, for example `/ext/bc/C/rpc`
 * @param mostInBatch calls in one batch; 1 where batches are known to be refused. Default: what EVM nodes allow. One that breaks a lower limit of
 *   another server shrinks
 */
export function createJsonRpc(http: Http, path: string, mostInBatch = 1_000): JsonRpc {
  const place = openRpcPath(http, path);
  const call = createRpcCall(place);
  return { call, callMany: createCallMany(place, call, mostInBatch) };
}
