import { FirnError } from '../../core/firnError.ts';
import type { Http } from '../http/http.ts';
import type { HttpRequest, HttpResponse } from '../http/sendOnce.ts';

/** A path where a server speaks JSON-RPC: what its single calls and its batches share. */
export interface RpcPath {
  /** For messages: `POST https://host/path`. */
  readonly place: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The id that was used last. */
  lastId: number;
  /** @throws FirnError `not_offered` where the server has nothing at this path */
  post(request: Omit<HttpRequest, 'method' | 'path'>): Promise<HttpResponse>;
}

export function openRpcPath(http: Http, path: string): RpcPath {
  const place = `POST ${http.url}${path === '' ? '' : `/${path.replace(/^\/+/, '')}`}`;
  return {
    place,
    now: http.now,
    lastId: 0,
    async post(request) {
      try {
        return await http.send({ method: 'POST', path, ...request });
      } catch (error) {
        throw error instanceof FirnError && error.context.status === 404 ? switchedOff(place, error) : error;
      }
    },
  };
}

function switchedOff(place: string, cause: FirnError): FirnError {
  return new FirnError(
    'not_offered',
    `${place} answered 404: the server offers nothing at this path. An index or API that is disabled answers this way: ` +
      'enable it in the node, correct the URL of this source, or leave the stream out of the configuration.',
    { context: cause.context, cause },
  );
}
