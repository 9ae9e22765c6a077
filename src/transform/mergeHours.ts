/** An hour (hours since the epoch) with the heights in it and the amount of its work. */
export interface DirtyHour {
  readonly hour: number;
  readonly first: bigint | null;
  readonly last: bigint | null;
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
  weight: number;
}

/** Up to this many hours in between are rebuilt needlessly, instead of starting another range. */
const bridged = 6;
/** Empty hours that are bridged; genesis may lie years before block 1, and the buckets between are useless. */
const bridgedEmpty = 31 * 24;

/**
 * Joins hours (ascending) to ranges: neighbours, and those a few hours apart, as long as a range is not too much work.
 *
 * @param all whether every hour with a block is listed: then the gaps are empty and can always be bridged, as they can where one
 *   range ends at the height before the next one
 */
export function mergeHours(hours: readonly DirtyHour[], atMost: number, all: boolean): Range[] {
  // Hours in between may hold blocks that are not listed: heights must lie on both sides of them, or they would be emptied.
  const reaches = (open: Open, hour: number, first: bigint | null): boolean =>
    hour === open.end ||
    (hour - open.end <= bridgedEmpty && (all || (first !== null && open.last !== null && first === open.last + 1n))) ||
    (hour - open.end <= bridged && first !== null && open.first !== null);
  const ranges: Open[] = [];
  for (const { hour, first, last, weight } of hours) {
    const open = ranges.at(-1);
    if (open === undefined || !reaches(open, hour, first) || open.weight + weight > atMost) {
      ranges.push({ start: hour, end: hour + 1, first, last, weight });
      continue;
    }
    open.end = hour + 1;
    open.weight += weight;
    open.first ??= first;
    open.last = last ?? open.last;
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
