/** Milliseconds of a bucket's name; null where it is none: other texts a browser takes for times of its own zone, or of another year. */
export function bucketMoment(name: string): number | null {
  if (!/^\d{4}-\d{2}(?:-\d{2}(?:T\d{2}:\d{2})?)?$/.test(name)) return null;
  const moment = Date.parse(name.includes('T') ? `${name}Z` : name);
  return Number.isFinite(moment) ? moment : null;
}
