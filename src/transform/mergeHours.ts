/** An hour (hours since the epoch) with the heights in it, null where no block lies in it any more, and the amount of its work. */
export interface DirtyHour {
  readonly hour: number;
  readonly first: bigint | null;
  readonly last: bigint | null;
  /** How many hours of the chain have a block up to this one, changed or not. */
  readonly place: bigint;
  readonly weight: number;
}

interface Range {
  readonly from: string;
  readonly until: string;
  readonly first: bigint;
  readonly last: bigint;
}

interface Open {
  readonly start: number;
  end: number;
  first: bigint | null;
  last: bigint | null;
  place: bigint;
  weight: number;
}

/** Up to this many hours in between are rebuilt needlessly, instead of starting another range. */
const bridged = 6;
/** Empty hours behind genesis that are bridged: it may lie years before block 1, and the buckets between are useless. */
const bridgedToGenesis = 31 * 24;

/**
 * Joins hours (ascending) to ranges, as long as a range is not too much work: neighbours, those a few hours apart, and those between which
 * the chain has no block.
 */
export function mergeHours(hours: readonly DirtyHour[], atMost: number): Range[] {
  // Its buckets have their zeros, and where blocks stood before there are none.
  const isNothingBetween = (open: Open, { first, place }: DirtyHour): boolean =>
    place === open.place + (first === null ? 0n : 1n);
  // Hours in between may hold blocks that are not listed: heights must lie on both sides of them, or they would be emptied.
  const reaches = (open: Open, next: DirtyHour): boolean => {
    const between = next.hour - open.end;
    if (isNothingBetween(open, next)) return open.last !== 0n || between <= bridgedToGenesis;
    return open.last !== null && next.first !== null && between <= bridged;
  };
  const ranges: Open[] = [];
  for (const next of hours) {
    const { hour, first, last, place, weight } = next;
    const open = ranges.at(-1);
    const isNear = open !== undefined && reaches(open, next);
    if (!isNear || open.weight + weight > atMost) {
      ranges.push({
        start: isNear && isNothingBetween(open, next) ? open.end : hour,
        end: hour + 1,
        first,
        last,
        place,
        weight,
      });
      continue;
    }
    open.end = hour + 1;
    open.weight += weight;
    open.first ??= first;
    open.last = last ?? open.last;
    open.place = place;
  }
  return ranges.map(({ start, end, first, last }) => ({
    from: hourText(start),
    until: hourText(end),
    // An hour that no block lies in any more is emptied: no height is between 1 and 0.
    first: first ?? 1n,
    last: last ?? 0n,
  }));
}

/** Start of an hour as TIMESTAMP text. */
function hourText(hour: number): string {
  return new Date(hour * 3_600_000).toISOString().slice(0, 19).replace('T', ' ');
}
