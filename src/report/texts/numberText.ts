/** Whole numbers with thousands set apart, digit by digit: nothing is rounded. Other texts stay as they are. */
export function groupDigits(text: string): string {
  const parts = /^(-?)(\d+)(\.\d+)?$/.exec(text);
  if (!parts) return text;
  return `${parts[1]}${(parts[2] ?? '').replace(/\B(?=(\d{3})+$)/g, ',')}${parts[3] ?? ''}`;
}

/** A count for people: 12,345. */
export const countText = (count: number): string => groupDigits(String(Math.round(count)));

const prefixes: readonly (readonly [number, string])[] = [
  [1e18, 'E'],
  [1e15, 'P'],
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
];

/** A short number, for axes: 1.2 M, 350, 0.02, 3.4e21. */
export function shortNumber(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size >= 1e21 || size < 1e-4) return value.toExponential(1).replace('e+', 'e').replace('.0e', 'e');
  const [unit, prefix] = prefixes.find(([least]) => size >= least) ?? [1, ''];
  const text = String(Number((value / unit).toPrecision(3)));
  return prefix === '' ? text : `${text} ${prefix}`;
}

/** Bytes for people: 1.2 MB. */
export function bytesText(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  const power = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${Number((bytes / 1000 ** power).toPrecision(3))} ${units[power]}`;
}

/** `3 buckets`, `1 bucket`; a verb may follow: `1 record is`, `3 records are`. */
export const plural = (count: number, noun: string, nouns = `${noun}s`): string =>
  `${countText(count)} ${count === 1 ? noun : nouns}`;

/** How many settled buckets are not what is served. */
export const differText = (buckets: number): string =>
  plural(buckets, 'settled bucket differs', 'settled buckets differ');

/** A value as it is shown; a dash where there is none. */
export const orDash = <T>(value: T | null | undefined, shown: (value: T) => string): string =>
  value === null || value === undefined ? '–' : shown(value);
