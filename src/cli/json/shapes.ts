import { z } from 'zod';

/**
 * What the documents of `--json` are made of. A document is a zod schema: its input is what the command has, its output what is
 * printed. One style for all: camelCase, RFC 3339 times in UTC, numbers as numbers, amounts as text.
 */

/** Takes what the type says, whatever it is: an odd value from outside must not keep a document from being printed. */
const taken = <T>() => z.unknown() as z.ZodType<T, T>;
const printed = (shape: { readonly type: string; readonly format?: string }) => z.any().meta(shape);

/** A time: milliseconds since the epoch, or text as DuckDB or a date gives it. */
export const time = taken<number | string>()
  .transform(rfc3339)
  .pipe(printed({ type: 'string', format: 'date-time' }));

/** A whole number below 2^53: rows, bytes, heights. */
export const count = taken<number | bigint>()
  .transform(Number)
  .pipe(printed({ type: 'integer' }));

/** A measured number: seconds, shares. */
export const measure = taken<number>().pipe(printed({ type: 'number' }));

/** A row of a query whose columns are not known beforehand. */
export const row = taken<Readonly<Record<string, unknown>>>()
  .transform(shownRow)
  .pipe(z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])));

/** A row of a query, whose snake_case columns become these members. */
export const rowOf = <S extends z.ZodRawShape>(shape: S) =>
  taken<Readonly<Record<string, unknown>>>()
    .transform((columns): unknown =>
      Object.fromEntries(Object.entries(columns).map(([name, value]) => [camelCase(name), value])),
    )
    .pipe(z.object(shape) as z.ZodType<z.output<z.ZodObject<S>>, unknown>);

/** An object that says of every member of `T` how it is printed: a member that is added to the type is missing here until it is. */
export const objectOf =
  <T>() =>
  <S extends { readonly [K in keyof T]-?: z.ZodType }>(shape: S): z.ZodObject<S> =>
    z.object(shape);

/** What a schema takes, read-only throughout: values that nobody writes to fit it. */
export type ReadonlyDeep<T> = T extends readonly (infer Item)[]
  ? readonly ReadonlyDeep<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: ReadonlyDeep<T[Key]> }
    : T;

const timestamp = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?$/;

function rfc3339(moment: number | string): string {
  const date = new Date(typeof moment === 'string' && timestamp.test(moment) ? `${moment.replace(' ', 'T')}Z` : moment);
  return Number.isNaN(date.getTime()) ? String(moment) : date.toISOString();
}

function shownRow(columns: Readonly<Record<string, unknown>>): Record<string, string | number | boolean | null> {
  return Object.fromEntries(Object.entries(columns).map(([name, value]) => [camelCase(name), shownValue(value)]));
}

/** A column's name as the documents spell it. */
const camelCase = (name: string) => name.replace(/(?<=[^_])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** A number where that is exact, or else the digits. */
export const shownBigint = (value: bigint): number | string =>
  Number.isSafeInteger(Number(value)) ? Number(value) : String(value);

function shownValue(value: unknown): string | number | boolean | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return shownBigint(value);
  if (typeof value === 'string') return timestamp.test(value) ? rfc3339(value) : value;
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return value;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
