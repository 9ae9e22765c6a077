import type { Request } from '../../core/request.ts';
import type { Fetch } from '../sources/fetch.ts';

/** A fetch that remembers what it did: the first request, bytes in all, and when the last answer was asked for. */
export function measured(fetch: Fetch): {
  fetch: Fetch;
  last(): { request: Request; bytes: number; fetchedAt: number };
} {
  let first: Request | undefined;
  let bytes = 0;
  let fetchedAt = 0;
  return {
    async fetch(request) {
      const response = await fetch(request);
      first ??= request;
      bytes += response.bytes;
      fetchedAt = Math.max(fetchedAt, response.fetchedAt);
      return response;
    },
    last() {
      if (!first) throw new TypeError('nothing was asked yet');
      return { request: first, bytes, fetchedAt };
    },
  };
}
