import { z } from 'zod';
import { isDay } from '../input/isDay.ts';
import { flatJsonText } from '../json/jsonText.ts';
import { Verbatim } from '../json/verbatim.ts';
import {
  type ColumnMeta,
  type ColumnSchema,
  column,
  columnMeta,
  invalid,
  makeColumn,
  type Parse,
  setColumnMeta,
  shown,
} from './columnSchema.ts';
import { integerRanges, type Value } from './columnType.ts';
import { type Integer, integerOf, within } from './integerOf.ts';

/** The same column, NULL where the member is absent or null. */
export function optional<T extends Value>(schema: ColumnSchema<T>): z.ZodOptional<z.ZodNullable<ColumnSchema<T>>> {
  return z.nullish(schema);
}

/**
 * A column or an object that anybody may write, as the metadata of tokens: a value that it does not take leaves it NULL, keeps nothing of the
 * rest of its record back, and stays in `_extra` as it came.
 */
export const lenient = <T extends z.ZodType>(schema: T) => z.catch(z.nullish(schema), null);

/** The same column under another name than the snake_case of its member. */
export function named<T extends Value>(name: string, schema: ColumnSchema<T>): ColumnSchema<T> {
  const meta = columnMeta(schema);
  if (!meta) throw new TypeError('named() takes a schema made by a column helper');
  // Schemas are shared values: the renamed one is a clone, or the first use would be renamed too.
  const renamed = schema.clone();
  setColumnMeta(renamed, { ...meta, name });
  return renamed;
}

const textOf: Parse<string> = (input) => {
  if (typeof input === 'string') return input;
  if (typeof input === 'number' || typeof input === 'bigint' || typeof input === 'boolean') return String(input);
  return input instanceof Verbatim && !input.isNested ? String(input) : invalid;
};

/** Text as it came; numbers and booleans become their text. */
export const text = (description: string) =>
  column<string>({ type: 'varchar', wire: 'text', description }, 'text', textOf);

/** A member that repeats the partition column of the same name: checked against it (letter case aside), not stored twice. */
export const echo = (description: string) =>
  column<string>({ type: 'varchar', description, echo: true }, 'text', textOf);

/** A member that paging or other columns are computed from: no column of its own. */
export const elsewhere = (description: string) =>
  column<string | null>({ type: 'json', wire: 'elsewhere', description, echo: true }, 'a JSON value', () => null);

const hexOf: Parse<string> = (input) => {
  if (typeof input !== 'string') return invalid;
  const lower = input.toLowerCase();
  return isHex(lower) ? (lower.startsWith('0x') ? lower : `0x${lower}`) : invalid;
};

/** Hex or address text in lower case, with `0x` in front. */
export const hex = (description: string) =>
  column<string>({ type: 'varchar', wire: 'hex', description }, 'hex text', hexOf);

// A character loop: about half the cost of a regular expression on 66-character hashes.
function isHex(lower: string): boolean {
  let i = lower.charCodeAt(0) === 48 && lower.charCodeAt(1) === 120 ? 2 : 0;
  for (; i < lower.length; i++) {
    const c = lower.charCodeAt(i);
    if (!((c >= 48 && c <= 57) || (c >= 97 && c <= 102))) return false;
  }
  return true;
}

const int32Of = within(...integerRanges.integer);
const int64Of = within(...integerRanges.bigint);
const uint64Of = within(...integerRanges.ubigint);
const decimal38Of = within(...integerRanges.decimal38);
const uint256Of = within(0n, 2n ** 256n - 1n);

const integerColumn =
  (type: 'integer' | 'bigint' | 'ubigint' | 'decimal38', expected: string, parse: Parse<Integer>) =>
  (description: string, unit?: string) =>
    column<Integer>({ type, wire: 'integer', description, ...(unit && { unit }) }, expected, parse);

/** Gas, heights, counts: BIGINT. */
export const int64 = integerColumn('bigint', 'a signed 64-bit integer', int64Of);

/** Small integers (log index, decimals, type tags): INTEGER. */
export const int32 = integerColumn('integer', 'a 32-bit integer', int32Of);

/** Values that may exceed 2^63 (stake weight, nonce): UBIGINT. */
export const uint64 = integerColumn('ubigint', 'an unsigned 64-bit integer', uint64Of);

/** Amounts that 38 digits always hold (64 bits on the wire, as of P- and X-Chain): DECIMAL(38,0). Those of the EVM are `uint256`. */
export const amount = integerColumn('decimal38', 'an integer of at most 38 digits', decimal38Of);

/** Amounts of the EVM, up to 2^256-1: DECIMAL(38,0), NULL when they do not fit, and then the digits in `<name>_text`. */
export const uint256 = (description: string, unit = 'wei') =>
  column<Integer>(
    { type: 'decimal38', wire: 'unsigned', description, unit, wide: true },
    'an integer below 2^256',
    uint256Of,
  );

/**
 * Shares, places and prices: DECIMAL(38,18), NULL when that cannot hold all their digits, and then the text as it came in
 * `<name>_text`. Some sources write them as text and others as JSON numbers: either is exact, and no raw column is a double.
 */
export const decimal = (description: string, unit: 'percent' | 'degrees' | 'currency') =>
  column<string>({ type: 'decimal18', description, unit, wide: true }, 'a decimal number', (input) => {
    const isNumber = typeof input === 'number' || typeof input === 'bigint' || input instanceof Verbatim;
    const written = isNumber ? String(input) : input;
    return typeof written === 'string' && /^-?\d+(\.\d+)?([eE][-+]?\d{1,3})?$/.test(written) ? written : invalid;
  });

/** BOOLEAN; the words "true" and "false" count. */
export const boolean = (description: string) =>
  column<boolean>({ type: 'boolean', wire: 'boolean', description }, 'true or false', (input) => {
    if (typeof input === 'boolean') return input;
    return input === 'true' ? true : input === 'false' ? false : invalid;
  });

/** Unix seconds (number, decimal text or 0x quantity) to TIMESTAMP in UTC; held as microseconds since the epoch. */
export const unixSeconds = (description: string) =>
  column<number>({ type: 'timestamp', wire: 'unixSeconds', description, unit: 'UTC' }, 'Unix seconds', (input) => {
    const seconds = integerOf(input);
    return typeof seconds === 'number' && Math.abs(seconds) < 9.2e9 ? seconds * 1_000_000 : invalid;
  });

const rfc3339Shape = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** RFC 3339 time with any offset and up to nine fraction digits to TIMESTAMP in UTC, cut to microseconds. */
export const rfc3339 = (description: string) =>
  column<number>({ type: 'timestamp', description, unit: 'UTC' }, 'an RFC 3339 time', (input) => {
    // A pattern without groups, and digits by hand: half the cost of taking the text apart.
    if (typeof input !== 'string' || !rfc3339Shape.test(input)) return invalid;
    // With a space, Date.parse would take offsets that no clock has.
    const seconds = Math.floor(Date.parse(input.replace(' ', 'T')) / 1000);
    // Every month has 28 days; of later ones Date.parse takes any up to 31.
    const hasDay = input.slice(8, 10) <= '28' || isDay(input.slice(0, 10));
    return Number.isNaN(seconds) || !hasDay ? invalid : seconds * 1_000_000 + microsOf(input);
  });

/** Microseconds of an RFC 3339 time: up to six digits after the point, which is the 20th character. */
function microsOf(time: string): number {
  let micros = 0;
  let unit = time.charAt(19) === '.' ? 100_000 : 0;
  for (let i = 20; unit >= 1; i++, unit /= 10) {
    const digit = time.charCodeAt(i) - 48;
    if (digit < 0 || digit > 9) break;
    micros += digit * unit;
  }
  return micros;
}

/** Any JSON value that is not nested too deep, kept as JSON text; numbers keep all their digits. */
export const json = (description: string) =>
  column<string>({ type: 'json', description }, 'a JSON value that is not nested too deep', (input) =>
    input === undefined ? invalid : (flatJsonText(input) ?? invalid),
  );

/** Raw bytes: BLOB. */
export const bytes = (description: string) =>
  column<Uint8Array>({ type: 'blob', wire: 'made', description }, 'bytes', (input) =>
    input instanceof Uint8Array ? input : invalid,
  );

/** Raw bytes that a column is computed from while its row waits to be written: they are no column of the table. */
export const transient = (description: string) => {
  const schema = bytes(description);
  setColumnMeta(schema, { ...(columnMeta(schema) as ColumnMeta), transient: true });
  return schema;
};

/**
 * Bytes that come as text: BLOB.
 *
 * @param decode takes only characters that JSON does not escape; throws FirnError with what is wrong with the text
 */
export const encodedBytes = (description: string, decode: (text: string) => Uint8Array) => {
  const attempt = (input: unknown): Uint8Array | Error => {
    if (typeof input !== 'string') return new TypeError(`expected text, got ${shown(input)}`);
    try {
      return decode(input);
    } catch (error) {
      return error as Error;
    }
  };
  const parse: Parse<Uint8Array> = (input) => {
    const read = attempt(input);
    return read instanceof Error ? invalid : read;
  };
  return makeColumn(
    { type: 'blob', wire: 'encoded', description },
    parse,
    (input) => (attempt(input) as Error).message,
  );
};

const listOf =
  (itemOf: Parse<string>): Parse<readonly string[]> =>
  (input) => {
    if (!Array.isArray(input)) return invalid;
    const items = input.map(itemOf);
    return items.includes(invalid as never) ? invalid : (items as string[]);
  };

/** A list of text: VARCHAR[]. */
export const texts = (description: string) =>
  column<readonly string[]>({ type: 'varchars', wire: 'texts', description }, 'a list of text', listOf(textOf));

/** A list of hex, each as `hex` has it: VARCHAR[]. */
export const hexes = (description: string) =>
  column<readonly string[]>({ type: 'varchars', wire: 'hexes', description }, 'a list of hex text', listOf(hexOf));
