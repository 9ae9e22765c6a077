/** What is read in ranges of at most `size` positions, `ahead` of them at once. */
export interface Ahead {
  readonly first: number;
  readonly last: number;
  readonly size: number;
  readonly ahead: number;
  readonly signal: AbortSignal;
}

/** Ranges in order, with the next ones already asked for. Ends early when the signal is raised. */
export async function* fetchAhead<T>(
  { first, last, size, ahead, signal }: Ahead,
  ask: (from: number, to: number) => Promise<T>,
): AsyncGenerator<T> {
  const inFlight: Promise<T>[] = [];
  let start = first;
  while (start <= last || inFlight.length > 0) {
    while (start <= last && inFlight.length < ahead && !signal.aborted) {
      const range = ask(start, Math.min(start + size - 1, last));
      // An error is thrown when its turn comes; until then it must not count as unhandled.
      range.catch(() => {});
      inFlight.push(range);
      start += size;
    }
    const range = inFlight.shift();
    if (!range) return;
    yield await range;
  }
}
