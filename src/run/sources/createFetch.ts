import { FirnError } from '../../core/firnError.ts';
import type { Request, Response } from '../../core/requests/request.ts';
import type { Source } from '../../core/stream/source.ts';
import type { Http } from '../../extract/http/http.ts';
import type { HttpResponse } from '../../extract/http/sendOnce.ts';
import { createJsonRpc, type JsonRpc } from '../../extract/rpc/jsonRpc.ts';
import type { Fetch } from './drive.ts';

/**
 * How a source is asked.
 *
 * @param own undefined for a source of which only the servers of single paths are known; an error where it cannot be opened
 * @param elsewhere paths that another server answers, which is then asked at its own URL
 */
export function createFetch(
  { name, takesBatches }: Source,
  own: Http | FirnError | undefined,
  elsewhere: ReadonlyMap<string, Http | FirnError>,
): Fetch {
  const rpcs = new Map<string, JsonRpc>();
  const at = (path: string): Http => {
    if (own instanceof FirnError) throw own;
    if (own) return own;
    throw new FirnError(
      'not_offered',
      `${path} belongs to the source ${name}, of which the configuration names only the URLs of single chains (sources.${name}.rpc). ` +
        `Add sources.${name}.url, or leave the stream out.`,
    );
  };
  const rpcAt = (path: string): JsonRpc => {
    const known = rpcs.get(path);
    if (known) return known;
    const other = elsewhere.get(path);
    if (other instanceof FirnError) throw other;
    const mostInBatch = takesBatches?.(path) === false ? 1 : undefined;
    const made = other ? createJsonRpc(other, '') : createJsonRpc(at(path), path, mostInBatch);
    rpcs.set(path, made);
    return made;
  };
  return async (request: Request, sent): Promise<Response> => {
    switch (request.kind) {
      case 'rpc': {
        const { method, params, check, answer: kind } = request.call;
        return dated(await rpcAt(request.path).call(method, params, { check, answer: kind, sent, raw: request.raw }));
      }
      case 'rpcMany':
        return dated(await rpcAt(request.path).callMany(request.calls, { sent, raw: request.raw }));
      case 'get':
        return dated(await at(request.path).send({ ...request, method: 'GET', sent }));
      case 'post':
        return dated(await at(request.path).send({ ...request, method: 'POST', idempotent: !request.once, sent }));
    }
  };
}

const dated = ({ body, requestedAt, bytes }: HttpResponse): Response => ({
  body,
  fetchedAt: requestedAt,
  bytes,
});
