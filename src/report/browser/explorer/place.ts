import { bucketText } from '../../texts/timeText.ts';

/** What the page shows, as its address says it: `#/?chain=43114&interval=hour&from=2026-02-01&metric=txCount&bucket=2026-02-07`. */
export interface Place {
  readonly chain?: string;
  readonly interval?: string;
  /** Days, both shown. */
  readonly from?: string;
  readonly to?: string;
  /** With a metric, its series is open; with a bucket as well, that bucket. */
  readonly metric?: string;
  readonly bucket?: string;
}

const names = ['chain', 'interval', 'from', 'to', 'metric', 'bucket'] as const;

/** The place that the address names; null where it names something else. */
export function currentPlace(): Place | null {
  if (!location.hash.startsWith('#/?')) return null;
  const parameters = new URLSearchParams(location.hash.slice(3));
  return Object.fromEntries(names.flatMap((name) => (parameters.get(name) ? [[name, parameters.get(name)]] : [])));
}

/** The address of a place. */
export function placeHref(place: Place): string {
  const parameters = new URLSearchParams();
  for (const name of names) if (place[name]) parameters.set(name, place[name]);
  return `#/?${parameters}`;
}

/** How a bucket is named in an address. */
export const bucketName = (bucket: number, interval: string): string => bucketText(bucket, interval).replace(' ', 'T');
