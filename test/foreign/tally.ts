const counts = new Map<string, number>();

/** Counts what was compared, under what it is called in the table of docs/trust.md. */
export const tally = (what: string, times = 1): void => {
  counts.set(what, (counts.get(what) ?? 0) + times);
};

/** What was counted so far. */
export const tallied = (): ReadonlyMap<string, number> => counts;
