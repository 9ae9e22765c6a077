/** How many requests may be under way, found by trying: up one by one, down by half. */
export interface Concurrency {
  current(): number;
  /** A request went well. */
  up(): void;
  /** A request met overload; `ticket` says when it was sent. */
  down(ticket: number): void;
  /** The number of a request that is sent now. */
  ticket(): number;
}

/** Starts at half of `most`. Requests sent before the last halving met the load before it, and do not halve again. */
export function createConcurrency(most: number): Concurrency {
  let level = Math.max(1, most / 2);
  let sent = 0;
  let halvedAt = 0;
  return {
    current: () => Math.floor(level),
    up() {
      level = Math.min(most, level + 1 / level);
    },
    down(ticket) {
      if (ticket <= halvedAt) return;
      halvedAt = sent;
      level = Math.max(1, level / 2);
    },
    ticket() {
      sent += 1;
      return sent;
    },
  };
}
