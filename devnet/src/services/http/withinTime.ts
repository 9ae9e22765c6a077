import type { CompleteServiceOptions } from '../serviceOptions.ts';

/** A filter on a row's second. Whether either end belongs to the range is a choice, since the documentation leaves it open. */
export function withinTime(
  { startInclusive, endInclusive }: Pick<CompleteServiceOptions, 'startInclusive' | 'endInclusive'>,
  range: { readonly startTimestamp: number | undefined; readonly endTimestamp: number | undefined },
): (time: number) => boolean {
  const start = range.startTimestamp ?? -Infinity;
  const end = range.endTimestamp ?? Infinity;
  return (time) => (startInclusive ? time >= start : time > start) && (endInclusive ? time <= end : time < end);
}
