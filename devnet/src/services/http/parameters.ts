import type { Parameter } from './readParameters.ts';

/** Any text; absent or empty is undefined. */
export const text = (): Parameter<string | undefined> => (values, name, problems) => {
  if (values.length > 1) problems.push(`${name} must be a string`);
  return values[0] || undefined;
};

interface Bounds {
  readonly min: number;
  readonly max?: number;
}

function bounded(value: number, name: string, { min, max }: Bounds, problems: string[]): void {
  if (max !== undefined && !(value <= max)) problems.push(`${name} must not be greater than ${max}`);
  if (!(value >= min)) problems.push(`${name} must not be less than ${min}`);
}

/** A whole number within bounds. */
export const integer =
  <D extends number | undefined>(bounds: Bounds, standard: D): Parameter<number | D> =>
  (values, name, problems) => {
    if (values.length === 0) return standard;
    const value = values.length === 1 && /^-?\d+$/.test(values[0] ?? '') ? Number(values[0]) : Number.NaN;
    bounded(value, name, bounds, problems);
    if (Number.isNaN(value)) problems.push(`${name} must be an integer number`);
    return value;
  };

/** A number within bounds. */
export const decimal =
  <D extends number | undefined>(bounds: Bounds, standard: D): Parameter<number | D> =>
  (values, name, problems) => {
    if (values.length === 0) return standard;
    const raw = values.length === 1 ? (values[0] ?? '') : '';
    const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(raw) ? Number(raw) : Number.NaN;
    bounded(value, name, bounds, problems);
    if (Number.isNaN(value)) problems.push(`${name} must be a number conforming to the specified constraints`);
    return value;
  };

/** A decimal string that holds a whole number within bounds, of any size. */
export const bigDecimal =
  (max: bigint): Parameter<bigint | undefined> =>
  (values, name, problems) => {
    if (values.length === 0) return undefined;
    if (values.length > 1 || !/^\d+$/.test(values[0] ?? '')) {
      problems.push(`${name} must be a number string`);
      return undefined;
    }
    const value = BigInt(values[0] ?? '0');
    if (value > max) problems.push(`${name} must not be greater than ${max}`);
    return value;
  };

/** One of a closed set of words. */
export const oneOf =
  <W extends string, D extends W | undefined>(words: readonly W[], standard: D): Parameter<W | D> =>
  (values, name, problems) => {
    if (values.length === 0) return standard;
    const value = words.find((word) => values.length === 1 && word === values[0]);
    if (value === undefined) problems.push(`${name} must be one of the following values: ${words.join(', ')}`);
    return value ?? standard;
  };

/** `true` or `false`. */
export const flag = (): Parameter<boolean> => (values, name, problems) => {
  const value = values[0];
  if (value !== undefined && (values.length > 1 || (value !== 'true' && value !== 'false'))) {
    problems.push(`${name} must be a boolean value`);
  }
  return value === 'true';
};

/** Text with items between commas, as `addresses`, `nodeIds` and `rewardAddresses` are sent; repeated counts too. Empty items are dropped. */
export const commaList = (): Parameter<readonly string[] | undefined> => (values) => {
  if (values.length === 0) return undefined;
  const items = values.flatMap((value) => value.split(',')).map((item) => item.trim());
  return items.filter((item) => item !== '');
};

/** An array of words: the parameter repeated. With commas it is one word, which none of them is. */
export const words =
  (known: readonly string[]): Parameter<readonly string[] | undefined> =>
  (values, name, problems) => {
    if (values.length === 0) return undefined;
    if (values.some((value) => !known.includes(value))) {
      problems.push(`each value in ${name} must be one of the following values: ${known.join(', ')}`);
    }
    return values;
  };

/** `pageToken` and `pageSize`, which every list takes. */
export const paging = (standard: number, max: number) => ({
  pageToken: text(),
  pageSize: integer({ min: 1, max }, standard),
});

/** `sortOrder`, where an endpoint has it: newest first unless asked otherwise. */
export const sortOrder = () => oneOf(['asc', 'desc'] as const, 'desc');

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
