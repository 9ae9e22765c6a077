/** Columns that a line of stdout has; endless where it is no terminal: what goes through a pipe is cut and broken by nobody. */
export const lineWidth = (): number => (process.stdout.isTTY && process.stdout.columns) || Number.POSITIVE_INFINITY;
