import { EventEmitter, once } from 'node:events';
import type { FirnError } from '../../core/firnError.ts';
import { type Clock, steadyClock } from '../clock.ts';

/**
 * Whether an origin can be reached at all, as far as this run knows. Until the first connection one request tries for all: where it finds
 * nobody, nobody is there for the others either. Later outages are the breaker's business.
 */
export interface Contact {
  /**
   * Waits while another request makes the first connection. True for the request that is to make it.
   *
   * @throws FirnError why the origin cannot be reached · the signal's reason
   */
  begin(signal: AbortSignal | undefined): Promise<boolean>;
  /** A connection was made. */
  made(): void;
  isMade(): boolean;
  /** Whether the first connection may still be tried in so many milliseconds: no later than the patience allows. */
  allows(inMs: number): boolean;
  /** Nobody is there: for a while every other request ends with the same error. */
  refused(error: FirnError): void;
  /** The request that was to make it ended otherwise: the next one tries. */
  left(): void;
}

/** How long nobody is taken to be there, in milliseconds: a worker reads for weeks. */
const believedMs = 60_000;

/** For the first connection, with every attempt at it. */
const patienceMs = 10_000;

export function createContact(clock: Clock): Contact {
  const events = new EventEmitter<{ settled: [] }>().setMaxListeners(0);
  const { now } = steadyClock(clock);
  let state: 'unknown' | 'trying' | 'made' | { readonly error: FirnError; readonly until: number } = 'unknown';
  let since: number | undefined;
  const settle = (next: typeof state) => {
    state = next;
    events.emit('settled');
  };
  return {
    async begin(signal) {
      while (state === 'trying') await once(events, 'settled', signal && { signal });
      if (state === 'made') return false;
      if (state !== 'unknown') {
        if (now() < state.until) throw state.error;
        since = undefined;
      }
      state = 'trying';
      since ??= now();
      return true;
    },
    made() {
      if (state !== 'made') settle('made');
    },
    isMade: () => state === 'made',
    allows: (inMs) => now() + inMs - (since ?? 0) <= patienceMs,
    refused: (error) => settle({ error, until: now() + believedMs }),
    left() {
      if (state === 'trying') settle('unknown');
    },
  };
}
