let counts = new Map<string, number>();

/** Counts what was compared, under what it is called in the table of docs/trust.md. */
export const tally = (what: string, times = 1): void => {
  counts.set(what, (counts.get(what) ?? 0) + times);
};

/** What was counted since it was last taken. */
export function takeTally(): ReadonlyMap<string, number> {
  const taken = counts;
  counts = new Map();
  return taken;
}
