import { type FirnError, hasCode } from '../../core/firnError.ts';
import type { Clock } from '../clock.ts';
import type { ServerPart } from './serverParts.ts';

/** Refusals after which a server that has given nothing yet is taken to refuse everything. */
const enough = 10;

/** How long it is taken to, in milliseconds: a worker reads for weeks, and a key may become valid. */
const believedMs = 60_000;

/** Keeps a run with a wrong key from asking for every partition what is refused to all: servers may block those who go on. */
export interface KeyRefusal {
  /** @throws FirnError the last refusal, where another one is to be expected of this part of the server */
  check(part: ServerPart): void;
  /** The server gave what was asked for: from now on a refusal is about one request alone. */
  given(): void;
  failed(error: unknown, part: ServerPart): void;
}

export function createKeyRefusal({ now }: Pick<Clock, 'now'>): KeyRefusal {
  let hasGiven = false;
  let refusals = 0;
  let believedUntil = Number.NEGATIVE_INFINITY;
  let ofAll: FirnError | undefined;
  const ofParts = new Map<ServerPart, FirnError>();
  return {
    check(part) {
      const error = ofAll ?? ofParts.get(part);
      if (!hasGiven && error && now() < believedUntil) throw error;
    },
    given() {
      hasGiven = true;
    },
    failed(error, part) {
      if (!hasCode(error, 'unauthorized')) return;
      refusals += 1;
      // A key may be good for some chains and lists, and not for others.
      if (error.context.status === 403) ofParts.set(part, error);
      else ofAll = error;
      if (refusals >= enough) believedUntil = now() + believedMs;
    },
  };
}
