import { countUpTo } from './countUpTo.ts';

/** How many of `items`, ascending by `visibleAt`, exist at `now`. */
export const visibleCount = (items: readonly { readonly visibleAt: number }[], now: number): number =>
  countUpTo(items, now, ({ visibleAt }) => visibleAt);
