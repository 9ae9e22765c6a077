import { timestampOf } from '../bucketTime.ts';

/** An hour (hours since the epoch) with the heights in it, null where no block lies in it any more, and its work. */
export interface DirtyHour {
  readonly hour: number;
  readonly first: bigint | null;
  readonly last: bigint | null;
  readonly work: bigint;
  /** The work of all hours of the chain up to this one, changed or not: an hour that has a block has some. */
  readonly work_so_far: bigint;
}

/** Whole hours, and the heights that lie in them now. Times are TIMESTAMP text in UTC. */
export interface HourRange {
  readonly from: string;
  readonly until: string;
  readonly first: bigint;
  readonly last: bigint;
}

type Open = { -readonly [member in keyof DirtyHour]: DirtyHour[member] } & { readonly start: number };

/** Empty hours behind genesis that are bridged: it may lie years before block 1, and the buckets between are useless. */
const bridgedToGenesis = 31 * 24;

/**
 * Joins hours (ascending) to ranges, as long as a range is not too much work: those between which the chain has no block, and those between
 * which there is less work than another range would be.
 *
 * @param bridged work that is rebuilt needlessly in place of another range
 */
export function mergeHours(
  hours: readonly DirtyHour[],
  { atMost, bridged }: { atMost: bigint; bridged: bigint },
): HourRange[] {
  const workBetween = (open: Open, next: DirtyHour) => next.work_so_far - next.work - open.work_so_far;
  const reaches = (open: Open, next: DirtyHour): boolean => {
    if (open.last === 0n && next.hour - open.hour > bridgedToGenesis) return false;
    const between = workBetween(open, next);
    // Blocks that are not listed are built again as well where heights lie on both sides of them: they would be emptied otherwise.
    return between === 0n || (between <= bridged && open.last !== null && next.first !== null);
  };
  const ranges: Open[] = [];
  for (const next of hours) {
    const { hour, first, last, work_so_far } = next;
    const open = ranges.at(-1);
    if (!open || !reaches(open, next)) ranges.push({ ...next, start: hour });
    else if (open.work + work_so_far - open.work_so_far > atMost)
      // What is empty in between has its zeros.
      ranges.push({ ...next, start: workBetween(open, next) === 0n ? open.hour + 1 : hour });
    else {
      open.work += work_so_far - open.work_so_far;
      Object.assign(open, { hour, work_so_far, first: open.first ?? first, last: last ?? open.last });
    }
  }
  return ranges.map(({ start, hour, first, last }) => ({
    from: timestampOf(start * 3600),
    until: timestampOf((hour + 1) * 3600),
    // An hour that no block lies in any more is emptied: no height is between 1 and 0.
    first: first ?? 1n,
    last: last ?? 0n,
  }));
}
