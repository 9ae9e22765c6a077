import { FirnError } from '../core/firnError.ts';
import { systemClock } from '../extract/clock.ts';

export interface LockWait {
  /** How long to wait for another run to end, in milliseconds; 0 not at all. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
  /** Told once, with the sentence that names the holder. */
  readonly onWait?: ((sentence: string) => void) | undefined;
}

const pauseMs = 500;

/**
 * Tries as long as is allowed to get what another run may hold.
 *
 * @param attempt gives it, or the error that says who holds it
 * @throws FirnError that error, when it is still held then · `interrupted`
 */
export async function whenFree<T>(
  attempt: () => Promise<T | FirnError>,
  { waitMs, signal, onWait }: LockWait,
): Promise<T> {
  const deadline = performance.now() + waitMs;
  for (let tries = 1; ; tries++) {
    const got = await attempt();
    if (!(got instanceof FirnError)) return got;
    if (performance.now() >= deadline) throw got;
    if (tries === 1) onWait?.(`${got.message.split('. ')[0]}. Waiting for it to end.`);
    await systemClock.sleep(Math.min(pauseMs, Math.max(0, deadline - performance.now())), signal);
  }
}
