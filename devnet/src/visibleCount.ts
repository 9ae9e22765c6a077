/** How many of `items`, ascending by `visibleAt`, exist at `now`. */
export function visibleCount(items: readonly { readonly visibleAt: number }[], now: number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((items[middle]?.visibleAt ?? 0) <= now) low = middle + 1;
    else high = middle;
  }
  return low;
}
