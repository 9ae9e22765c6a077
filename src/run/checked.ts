import type { Check, Request } from '../core/request.ts';

/** A request whose answer must be what the stream reads records from: anything else is sent for again, and never taken for an end. */
export const checked = (request: Request, check: Check): Request =>
  request.kind === 'rpcMany'
    ? request
    : request.kind === 'rpc'
      ? { ...request, call: { check, ...request.call } }
      : { check, ...request };
