import { EventEmitter, once } from 'node:events';
import { createRetryBudget, type RetryBudget } from '../../core/requests/retry.ts';
import type { Clock } from '../clock.ts';
import { type Breaker, createBreaker } from '../limits/breaker.ts';

/** A part of a server that can fail while the others answer: the RPC of a chain, an index, a list of the data service. */
export interface ServerPart {
  readonly budget: RetryBudget;
  /**
   * Waits while the part is held back, and gives for how long. Then the request's outcome is to be told, if it has any, and that it left.
   *
   * @throws FirnError `unavailable` once the part has been failing for too long · the signal's reason
   */
  enter(signal: AbortSignal | undefined): Promise<number>;
  answered(): void;
  failed(message: string): void;
  left(): void;
}

/** The parts of the server at `url`, each found by the paths that belong to it. @param nameOf the part that a path belongs to */
export function createServerParts(url: string, clock: Clock, nameOf = partOf): (path: string) => ServerPart {
  const parts = new Map<string, ServerPart>();
  return (path) => {
    const name = nameOf(path);
    const part = parts.get(name) ?? createPart(createBreaker({ origin: `${url}${name}`, clock }), clock);
    parts.set(name, part);
    return part;
  };
}

function createPart(breaker: Breaker, clock: Clock): ServerPart {
  const events = new EventEmitter<{ settled: [] }>().setMaxListeners(0);
  const settled = () => events.emit('settled');
  return {
    budget: createRetryBudget(),
    async enter(signal) {
      const from = clock.now();
      for (let wait = breaker.tryEnter(); wait > 0; wait = breaker.tryEnter()) {
        if (wait === Number.POSITIVE_INFINITY) await once(events, 'settled', signal && { signal });
        else await clock.sleep(wait, signal);
      }
      return clock.now() - from;
    },
    answered() {
      breaker.answered();
      settled();
    },
    failed(message) {
      breaker.failed(message);
      settled();
    },
    left() {
      breaker.left();
      settled();
    },
  };
}

/** Ids, hashes and addresses: what is asked about, not what is asked. */
const id = /\/[^/:]{20,}(?=[/:]|$)/g;

/** The part that a path belongs to, where the source does not say. */
const partOf = (path: string): string => path.replace(id, '');
