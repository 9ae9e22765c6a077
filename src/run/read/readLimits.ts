import { FirnError } from '../../core/firnError.ts';
import type { Clock } from '../../extract/clock.ts';
import { linkedAbort } from '../../extract/linkedAbort.ts';
import type { Fetch, Fetches } from '../sources/fetch.ts';

/** What a user allows one run to take. */
export interface Limits {
  /** Milliseconds of reading. */
  readonly maxMs?: number | undefined;
  /** Compute units of all sources together. */
  readonly maxUnits?: number | undefined;
}

export type LimitName = '--max-time' | '--max-units';

/** Ends a read cleanly when a limit is met: what was read is committed, and the next run goes on. */
export interface ReadLimits {
  /** Raised by the run's own signal, and by a limit. */
  readonly signal: AbortSignal;
  /** The sources' ways with the units counted. */
  limited(fetches: Fetches): Fetches;
  /** The limit that was met. */
  reached(): LimitName | null;
  /** Stops the clock. */
  close(): void;
}

/** @param outer the run's own signal */
export function createReadLimits({ maxMs, maxUnits }: Limits, outer: AbortSignal, clock: Clock): ReadLimits {
  const linked = linkedAbort(outer);
  let reached: LimitName | null = null;
  let units = 0;
  const stop = (limit: LimitName) => {
    if (linked.signal.aborted) return;
    reached = limit;
    linked.abort(limit);
  };
  const inTime = maxMs === undefined ? undefined : clock.after(maxMs, () => stop('--max-time'));
  const counted =
    (fetch: Fetch): Fetch =>
    async (request, sent) => {
      const weight = 'weight' in request ? request.weight : 0;
      // What would go beyond the limit is not sent; a lighter request of another stream is not either.
      if (maxUnits !== undefined && units + weight > maxUnits) stop('--max-units');
      if (reached === '--max-units')
        throw new FirnError(
          'interrupted',
          `The ${maxUnits} compute units of --max-units are spent; the next run goes on.`,
        );
      units += weight;
      return fetch(request, sent);
    };
  return {
    signal: linked.signal,
    limited: (fetches) => Object.fromEntries(Object.entries(fetches).map(([name, fetch]) => [name, counted(fetch)])),
    reached: () => reached,
    close() {
      inTime?.();
      linked.unlink();
    },
  };
}
