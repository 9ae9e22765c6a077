import { z } from 'zod';
import type { CompleteServiceOptions } from '../serviceOptions.ts';

// Every type reads all values that a query gives one parameter: none where it is absent. `$property` in a message stands for its name.

const given = z.array(z.string());

/** One value or none, which a message says where it is not right. */
const single = (isRight: (value: string) => boolean, message: string) =>
  given.refine((values) => values.length === 0 || (values.length === 1 && isRight(values[0] ?? '')), message);

/** Any text; absent or empty is undefined. */
export const text = () => single(() => true, '$property must be a string').transform(([value]) => value || undefined);

interface Bounds {
  readonly min: number;
  readonly max?: number;
}

const number =
  (form: RegExp, kind: string) =>
  <D extends number | undefined>({ min, max }: Bounds, standard: D) =>
    given
      .transform((values): number | D => {
        if (values.length === 0) return standard;
        return values.length === 1 && form.test(values[0] ?? '') ? Number(values[0]) : Number.NaN;
      })
      .refine(
        (value) => value === undefined || max === undefined || value <= max,
        `$property must not be greater than ${max}`,
      )
      .refine((value) => value === undefined || value >= min, `$property must not be less than ${min}`)
      .refine((value) => !Number.isNaN(value), `$property must be ${kind}`);

/** A whole number within bounds. */
export const integer = number(/^-?\d+$/, 'an integer number');

/** A number within bounds. */
export const decimal = number(
  /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i,
  'a number conforming to the specified constraints',
);

/** A decimal string that holds a whole number within bounds, of any size. */
export const bigDecimal = (max: bigint) =>
  single((value) => /^\d+$/.test(value), '$property must be a number string')
    .transform(([value]) => (value === undefined ? undefined : BigInt(value)))
    .refine((value) => value === undefined || value <= max, `$property must not be greater than ${max}`);

/** One of a closed set of words. */
export const oneOf = <W extends string, D extends W | undefined>(words: readonly W[], standard: D) =>
  single(
    (value) => (words as readonly string[]).includes(value),
    `$property must be one of the following values: ${words.join(', ')}`,
  ).transform(([value]) => (value as W | undefined) ?? standard);

/** `true` or `false`. */
export const flag = () =>
  single((value) => value === 'true' || value === 'false', '$property must be a boolean value').transform(
    ([value]) => value === 'true',
  );

/** Text with items between commas, as `addresses`, `nodeIds` and `rewardAddresses` are sent; repeated counts too. Empty items are dropped. */
export const commaList = () =>
  given.transform((values) => {
    const items = values.flatMap((value) => value.split(',')).map((item) => item.trim());
    return values.length === 0 ? undefined : items.filter((item) => item !== '');
  });

/** An array of words: the parameter repeated. With commas it is one word, which none of them is. */
export const words = (known: readonly string[]) =>
  given
    .refine(
      (values) => values.every((value) => known.includes(value)),
      `each value in $property must be one of the following values: ${known.join(', ')}`,
    )
    .transform((values) => (values.length === 0 ? undefined : values));

/** `pageToken` and `pageSize`, which every list takes. */
export const paging = (standard: number, max: number) => ({
  pageToken: text(),
  pageSize: integer({ min: 1, max }, standard),
});

/** `sortOrder`, where an endpoint has it: newest first unless asked otherwise. */
export const sortOrder = () => oneOf(['asc', 'desc'], 'desc');

/** `startBlock` (inclusive) and `endBlock` (exclusive). */
export const blockRange = () => ({
  startBlock: decimal({ min: 0 }, undefined),
  endBlock: decimal({ min: 0 }, undefined),
});

/** `startTimestamp` and `endTimestamp` in seconds. */
export const timeRange = () => ({
  startTimestamp: integer({ min: 0 }, undefined),
  endTimestamp: integer({ min: 0 }, undefined),
});

/** A filter on a row's second. Whether either end belongs to the range is a choice, since the documentation leaves it open. */
export function withinTime(
  { startInclusive, endInclusive }: Pick<CompleteServiceOptions, 'startInclusive' | 'endInclusive'>,
  range: { readonly startTimestamp: number | undefined; readonly endTimestamp: number | undefined },
): (time: number) => boolean {
  const start = range.startTimestamp ?? -Infinity;
  const end = range.endTimestamp ?? Infinity;
  return (time) => (startInclusive ? time >= start : time > start) && (endInclusive ? time <= end : time < end);
}
