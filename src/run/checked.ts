import type { Request, RpcCall } from '../core/request.ts';
import type { LookupStream, PagedStream, Partition, SnapshotStream } from '../core/stream.ts';

type Reads = PagedStream | SnapshotStream | LookupStream;

/** The records of an answer. */
export function recordsOf(stream: Reads, partition: Partition, request: Request, body: unknown): readonly unknown[] {
  const about = 'about' in request ? request.about : undefined;
  return stream.way === 'lookup'
    ? stream.records(body, partition, String(about))
    : stream.records(body, partition, about);
}

/**
 * A request whose answer must be what the stream reads records from: anything else is sent for again, and never taken for an end. Records
 * of streams that say where they lie come unparsed.
 */
export function checked(stream: Reads, partition: Partition, request: Request): Request {
  const { raw } = stream;
  const check = (body: unknown) => recordsOf(stream, partition, request, body);
  switch (request.kind) {
    case 'rpcMany':
      return request;
    case 'rpc':
      return { ...(raw && { raw }), ...request, call: { check, ...request.call } satisfies RpcCall };
    default:
      return { check, ...(raw && { raw }), ...request };
  }
}
