import { FirnError } from '../../core/firnError.ts';
import type { Clock } from '../clock.ts';

/** Refusals after which a server that has given nothing yet is taken to refuse everything. */
const enough = 10;

/** How long it is taken to, in milliseconds: a worker reads for weeks, and a key may become valid. */
const believedMs = 60_000;

/** Keeps a run with a wrong key from asking for every partition what is refused to all: servers may block those who go on. */
export interface KeyRefusal {
  /** @throws FirnError the last refusal, where another one is to be expected */
  check(): void;
  /** The server gave what was asked for: from now on a refusal is about one request alone. */
  given(): void;
  failed(error: unknown): void;
}

export function createKeyRefusal({ now }: Pick<Clock, 'now'>): KeyRefusal {
  let hasGiven = false;
  let refusals = 0;
  let believed: { readonly error: FirnError; readonly until: number } | undefined;
  return {
    check() {
      if (!hasGiven && believed && now() < believed.until) throw believed.error;
    },
    given() {
      hasGiven = true;
    },
    failed(error) {
      if (!(error instanceof FirnError) || error.code !== 'unauthorized') return;
      refusals += 1;
      if (refusals >= enough) believed = { error, until: now() + believedMs };
    },
  };
}
