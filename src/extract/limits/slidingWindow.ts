/** What was spent in the last stretch of time, for limits of the form "at most so much in any minute". */
export interface SlidingWindow {
  spend(amount: number, now: number): void;
  /**
   * Milliseconds until `amount` fits under `limit`. An amount above the limit fits when nothing else is in the window: it
   * could never be sent otherwise, and the server has the last word.
   */
  waitMs(amount: number, limit: number, now: number): number;
}

/** Exact over any stretch of `spanMs`; a full token bucket would let through twice the limit in its first minute. */
export function createSlidingWindow(spanMs: number): SlidingWindow {
  let entries: { readonly at: number; readonly amount: number }[] = [];
  let oldest = 0;
  let sum = 0;

  const forget = (now: number) => {
    for (let entry = entries[oldest]; entry && entry.at <= now - spanMs; entry = entries[oldest]) {
      sum -= entry.amount;
      oldest += 1;
    }
    if (oldest > 1_000 && oldest * 2 > entries.length) {
      entries = entries.slice(oldest);
      oldest = 0;
    }
  };

  return {
    spend(amount, now) {
      forget(now);
      entries.push({ at: now, amount });
      sum += amount;
    },
    waitMs(amount, limit, now) {
      forget(now);
      let excess = sum + amount - limit;
      let wait = 0;
      for (let i = oldest; excess > 0; i += 1) {
        const entry = entries[i];
        if (!entry) break;
        excess -= entry.amount;
        wait = entry.at + spanMs - now;
      }
      return wait;
    },
  };
}
