/** How many calls go into one batch: found by what the server takes. */
export interface BatchSize {
  current(): number;
  /** A batch of this many calls was taken. */
  taken(calls: number): void;
  /** A batch of `calls` was too much; of them, `fits` are known to fit. */
  refused(calls: number, fits?: number): void;
}

/** Halves on refusal, doubles while far below the size that was last refused, and creeps above that. */
export function createBatchSize(most: number): BatchSize {
  let size = most;
  let ceiling = most;
  return {
    current: () => Math.floor(size),
    taken(calls) {
      if (calls < Math.floor(size)) return;
      const next = size * 2 <= ceiling ? size * 2 : Math.max(size + 1, size * 1.1);
      size = Math.min(most, next);
    },
    refused(calls, fits = 0) {
      ceiling = calls;
      size = Math.max(1, fits > 0 ? fits : calls / 2);
    },
  };
}
