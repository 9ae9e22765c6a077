/** How many calls go into one batch: found by what the server takes. */
export interface BatchSize {
  current(): number;
  /** A batch of this many calls was taken. */
  taken(calls: number): void;
  /** The server allows fewer than `calls` in a batch: never again as many. */
  tooMany(calls: number): void;
  /** The work or the answer was too much this time; of `calls`, `fits` are known to have fitted. */
  tooMuch(calls: number, fits?: number): void;
}

/** Halves, or falls back to what is known to fit; then doubles while far below what was too much, creeps above that, and closes in on a fixed limit. */
export function createBatchSize(limit: number): BatchSize {
  let most = limit;
  let ceiling = limit;
  let size = limit;
  let fitted = 0;
  return {
    current: () => Math.max(1, Math.floor(size)),
    taken(calls) {
      if (calls < Math.floor(size)) return;
      fitted = calls;
      const next = size * 2 < ceiling ? size * 2 : Math.max(size + 1, size * 1.1);
      size = next <= most ? next : Math.ceil((size + most) / 2);
    },
    tooMany(calls) {
      // Batches sent together are refused one after the other: what the first taught is not undone by the second.
      most = Math.min(most, calls - 1);
      ceiling = Math.min(ceiling, calls);
      size = Math.min(size, fitted > 0 && fitted < calls ? fitted : calls / 2);
    },
    tooMuch(calls, fits = 0) {
      ceiling = calls;
      size = Math.min(size, fits > 0 ? fits : calls / 2);
      fitted = fits;
    },
  };
}
