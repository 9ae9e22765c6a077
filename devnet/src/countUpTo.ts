/** Number of leading rows whose moment is not after `limit`. The rows ascend by that moment. */
export function countUpTo<T>(rows: readonly T[], limit: number, momentOf: (row: T) => number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (momentOf(rows[middle] as T) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many of `items`, ascending by `visibleAt`, exist at `now`. */
export const visibleCount = (items: readonly { readonly visibleAt: number }[], now: number): number =>
  countUpTo(items, now, ({ visibleAt }) => visibleAt);
