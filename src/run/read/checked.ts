import type { Request, RpcCall } from '../../core/request.ts';
import type { LookupStream, Partition } from '../../core/stream.ts';

/**
 * A request whose answer must be what the stream reads records from: anything else is sent for again, and never taken for an end. Records
 * of streams that say where they lie come unparsed.
 */
export function checked(
  { records, raw }: Pick<LookupStream, 'records' | 'raw'>,
  partition: Partition,
  request: Request,
): Request {
  const check = (body: unknown) => records(body, partition, request.about);
  switch (request.kind) {
    case 'rpcMany':
      return request;
    case 'rpc':
      return { ...(raw && { raw }), ...request, call: { check, ...request.call } satisfies RpcCall };
    default:
      return { check, ...(raw && { raw }), ...request };
  }
}
