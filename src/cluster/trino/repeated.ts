import { FirnError } from '../../core/firnError.ts';
import { systemClock } from '../../extract/clock.ts';

/** How often it is tried. */
const tries = 6;

/** Repeats what may succeed the next time. Where nobody answers, the client has tried long enough already. */
export async function repeated<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const mayPass = error instanceof FirnError && error.retryable && error.context['reason'] !== undefined;
      if (!mayPass || attempt === tries) throw error;
      await systemClock.sleep(Math.random() * 500 * 2 ** attempt);
    }
  }
}
