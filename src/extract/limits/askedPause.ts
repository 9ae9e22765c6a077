import type { AskedPause } from '../../core/requests/askedPause.ts';
import { longestPauseMs } from './serverLimits.ts';

/** The pause that an origin asked for: one for all that is sent to it. */
export type ServerPause = ReturnType<typeof createAskedPause>;

/**
 * @param known as an earlier run kept it: no file makes it longer than a server can
 * @param onPause makes a pause durable; requests begin to wait for its end when that is done
 */
export function createAskedPause(known?: AskedPause, onPause?: (pause: AskedPause) => Promise<void>) {
  let paused = known && { ...known, until: Math.min(known.until, known.saidAt + longestPauseMs) };
  let noted: Promise<void> | undefined;
  const keep = (pause: AskedPause): void => {
    paused = pause;
    noted = onPause?.(pause);
    // Whoever waits for it gets the error.
    noted?.catch(() => {});
  };
  return {
    waitMs(now: number): number {
      const held = anchored(paused, now);
      // Kept, so that it ends by this clock for later runs, too.
      if (held && held !== paused) keep(held);
      return held ? held.until - now : 0;
    },
    pause(now: number, ms: number): void {
      if (now + ms > (anchored(paused, now)?.until ?? 0)) keep({ saidAt: now, until: now + ms });
    },
    noted: async () => noted,
  };
}

/** The same pause by a clock that may have been set back since: it never lasts longer than the server asked for. */
const anchored = (pause: AskedPause | undefined, now: number): AskedPause | undefined =>
  pause && now < pause.saidAt ? { saidAt: now, until: now + pause.until - pause.saidAt } : pause;
