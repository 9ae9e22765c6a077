import { createHash } from 'node:crypto';
import { badRequest } from '../../problem.ts';

/** Where a page token continues. */
export interface PageState {
  /** The moment of chain time that was the head when the first page was read: later rows do not shift the pages. */
  readonly asOf: number;
  readonly offset: number;
  /** Pages of this list that were served before. */
  readonly served?: number;
  /** Offsets to serve before going on in order (pages told out of order). */
  readonly queue?: readonly number[];
  /** A token that always leads to itself. */
  readonly loop?: boolean;
}

export interface PageTokens {
  /** A new opaque token for this state, good only for requests with the same binding. */
  issue(binding: string, state: PageState): string;
  /** Throws a 400 when the token is unknown, expired, or was issued for other parameters. */
  redeem(token: string, binding: string): PageState;
}

/** Keeps page tokens in memory until they expire. `clock` is in milliseconds. */
export function createPageTokens(clock: () => number, lifetimeMs: number, seed: number): PageTokens {
  const issued = new Map<string, { readonly binding: string; readonly state: PageState; readonly expires: number }>();
  let count = 0;

  function forgetExpired(now: number): void {
    // Insertion order is expiry order, so the first living token ends the search.
    for (const [token, { expires }] of issued) {
      if (expires > now) return;
      issued.delete(token);
    }
  }

  return {
    issue(binding, state) {
      const now = clock();
      forgetExpired(now);
      const token = uuid(`${seed}:${now}:${count++}:${binding}`);
      issued.set(token, { binding, state, expires: now + lifetimeMs });
      return token;
    },
    redeem(token, binding) {
      const found = issued.get(token);
      if (found === undefined || found.expires <= clock()) throw badRequest('pageToken is invalid or has expired');
      if (found.binding !== binding) {
        throw badRequest('pageToken was issued for other query parameters, which must stay the same between pages');
      }
      return found.state;
    },
  };
}

/** A version 4 UUID whose bits come from a hash. */
export function uuid(source: string): string {
  const hex = createHash('sha256').update(source).digest('hex');
  const variant = '89ab'[Number.parseInt(hex[16] ?? '0', 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
