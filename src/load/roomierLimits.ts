/** Enough for all but the widest batches. */
const usual = '256MB';

/**
 * What DuckDB's `memory_limit` becomes, one after the other, where a batch of a sync did not fit. It never shrinks.
 *
 * @param least what a sync has before
 * @param most what a build may take
 */
export function roomierLimits(least: string, most: string): readonly string[] {
  const limits = bytesOf(usual) < bytesOf(most) ? [usual, most] : [most];
  return limits.filter((limit) => bytesOf(limit) > bytesOf(least));
}

/** A limit, or `most` where that is less, but `least` in any case. */
export function limitWithin(least: string, limit: string, most: string): string {
  const smaller = bytesOf(most) < bytesOf(limit) ? most : limit;
  return bytesOf(smaller) < bytesOf(least) ? least : smaller;
}

/** Bytes of a size as `memoryLimit` takes it: 4GB, 1.5 GiB. */
function bytesOf(size: string): number {
  const [, digits, unit = '', isBinary] = /^([\d.]+) ?([MGT])(i?)B$/.exec(size) ?? [];
  return Number(digits) * (isBinary ? 1024 : 1000) ** (2 + 'MGT'.indexOf(unit));
}
