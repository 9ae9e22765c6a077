import { z } from 'zod';
import type { ColumnType, Value } from './columnType.ts';
import { isDay } from './isDay.ts';
import { Verbatim } from './verbatim.ts';

/**
 * How a column's value stands on the wire, where the reader of bytes knows it; a value without a kind is parsed by its schema, and
 * one that is `made` stands in no answer.
 */
export type WireKind =
  | 'text'
  | 'encoded'
  | 'hex'
  | 'integer'
  | 'unsigned'
  | 'boolean'
  | 'unixSeconds'
  | 'texts'
  | 'hexes'
  | 'elsewhere'
  | 'made';

/** What a column helper says of its column beside the zod schema that parses it. */
export interface ColumnMeta {
  readonly type: ColumnType;
  readonly wire?: WireKind;
  readonly description: string;
  /** Column name when it is not the snake_case of the member's name. */
  readonly name?: string;
  readonly unit?: string;
  /** Repeats a partition value: compared with it, and no column of its own. */
  readonly echo?: boolean;
  /** A second column `<name>_text` holds what does not fit the decimal of the first. */
  readonly wide?: boolean;
  /** Held with its row until that is written, and never stored. */
  readonly transient?: boolean;
}

/** A zod schema that fills one column; made by the helpers below and by nothing else. */
export type ColumnSchema<T extends Value = Value> = z.ZodType<T, unknown>;

const registry = new WeakMap<object, ColumnMeta>();

/** The meta of a schema made by a column helper, `undefined` for any other schema. */
export const columnMeta = (schema: object): ColumnMeta | undefined => registry.get(schema);

/** Makes a clone of a column helper's schema a column schema, too. */
export const setColumnMeta = (schema: object, meta: ColumnMeta) => void registry.set(schema, meta);

type Parse<T> = (input: unknown) => T | typeof invalid;
const invalid = Symbol('invalid');

interface ColumnDef extends z.core.$ZodTypeDef {
  readonly type: 'custom';
  readonly parse: Parse<unknown>;
  /** What to say of a value that `parse` does not take. */
  readonly reason: (input: unknown) => string;
}

interface ColumnInternals extends z.core.$ZodTypeInternals<unknown, unknown> {
  def: ColumnDef;
}

/** A schema kind of its own: z.transform makes a closure and a check for cycles a value, a third of the cost of parsing a page. */
const FirnColumn = z.core.$constructor<z.ZodType & { _zod: ColumnInternals }, ColumnDef>(
  'FirnColumn',
  (schema, def) => {
    z.ZodType.init(schema, def);
    schema._zod.parse = (payload) => {
      const value = def.parse(payload.value);
      if (value !== invalid) payload.value = value;
      else
        payload.issues.push({ code: 'custom', message: def.reason(payload.value), input: payload.value, inst: schema });
      return payload;
    };
  },
);

function makeColumn<T extends Value>(meta: ColumnMeta, parse: Parse<T>, reason: ColumnDef['reason']): ColumnSchema<T> {
  const schema = new FirnColumn({ type: 'custom', parse, reason });
  registry.set(schema, meta);
  return schema as unknown as ColumnSchema<T>;
}

const column = <T extends Value>(meta: ColumnMeta, expected: string, parse: Parse<T>) =>
  makeColumn(meta, parse, (input) => `expected ${expected}, got ${shown(input)}`);

function shown(input: unknown): string {
  if (input === undefined) return 'nothing';
  const text = jsonText(input);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/** The same column, NULL where the member is absent or null. */
export function optional<T extends Value>(schema: ColumnSchema<T>): z.ZodOptional<z.ZodNullable<ColumnSchema<T>>> {
  return z.nullish(schema);
}

/** The same column under another name than the snake_case of its member. */
export function named<T extends Value>(name: string, schema: ColumnSchema<T>): ColumnSchema<T> {
  const meta = columnMeta(schema);
  if (!meta) throw new TypeError('named() takes a schema made by a column helper');
  // Schemas are shared values: the renamed one is a clone, or the first use would be renamed too.
  const renamed = schema.clone();
  registry.set(renamed, { ...meta, name });
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

type Integer = number | bigint;

/** 256 bits have 78 digits; a million digits would take seconds to read. */
const longestInteger = 100;

/** number when safe, else bigint; takes JSON numbers, bigint, decimal text and 0x quantities. */
const integerOf: Parse<Integer> = (input) => {
  if (typeof input === 'number') return Number.isSafeInteger(input) ? input : invalid;
  if (typeof input === 'bigint') return narrow(input);
  if (input instanceof Verbatim) return integerOf(Number(input));
  if (typeof input !== 'string' || input === '') return invalid;
  if (input.length <= 15) return shortInteger(input);
  if (input.length > longestInteger) return invalid;
  if (!/^(-?[0-9]+|0x[0-9a-fA-F]+)$/.test(input)) return invalid;
  return narrow(BigInt(input));
};

/** At most 15 characters are always safe; a character loop costs a third of Number() and a check. */
function shortInteger(input: string): number | typeof invalid {
  if (input.charCodeAt(0) === 48 && input.charCodeAt(1) === 120) {
    const value = Number(input);
    return Number.isNaN(value) ? invalid : value;
  }
  const first = input.charCodeAt(0) === 45 ? 1 : 0;
  if (first === input.length) return invalid;
  let value = 0;
  for (let i = first; i < input.length; i++) {
    const digit = input.charCodeAt(i) - 48;
    if (digit < 0 || digit > 9) return invalid;
    value = value * 10 + digit;
  }
  return first === 1 && value !== 0 ? -value : value;
}

const narrow = (value: bigint): Integer =>
  value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;

const within =
  (low: bigint, high: bigint): Parse<Integer> =>
  (input) => {
    const value = integerOf(input);
    if (value === invalid) return invalid;
    // Comparison of number and bigint is exact.
    return value >= low && value <= high ? value : invalid;
  };

const int64Of = within(-(2n ** 63n), 2n ** 63n - 1n);
const uint64Of = within(0n, 2n ** 64n - 1n);
const decimal38Of = within(-(10n ** 38n) + 1n, 10n ** 38n - 1n);
const uint256Of = within(0n, 2n ** 256n - 1n);

/** Gas, heights, counts: BIGINT. */
export const int64 = (description: string, unit?: string) =>
  column<Integer>({ type: 'bigint', wire: 'integer', description, ...(unit && { unit }) }, 'a 64-bit integer', int64Of);

/** Small integers (log index, decimals, type tags): INTEGER. */
export const int32 = (description: string) =>
  column<Integer>(
    { type: 'integer', wire: 'integer', description },
    'a 32-bit integer',
    within(-(2n ** 31n), 2n ** 31n - 1n),
  );

/** Values that may exceed 2^63 (stake weight, nonce): UBIGINT. */
export const uint64 = (description: string, unit?: string) =>
  column<Integer>(
    { type: 'ubigint', wire: 'integer', description, ...(unit && { unit }) },
    'an unsigned 64-bit integer',
    uint64Of,
  );

/** Amounts that 38 digits always hold (64 bits on the wire, as of P- and X-Chain): DECIMAL(38,0). Those of the EVM are `uint256`. */
export const amount = (description: string, unit?: string) =>
  column<Integer>(
    { type: 'decimal38', wire: 'integer', description, ...(unit && { unit }) },
    'an integer of at most 38 digits',
    decimal38Of,
  );

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
  registry.set(schema, { ...(columnMeta(schema) as ColumnMeta), transient: true });
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

/** JSON text in which bigint stands as its digits, and what was kept verbatim as it was written. */
export function jsonText(value: unknown): string {
  const parts: string[] = [];
  writeJson(value, parts);
  return parts.join('');
}

function writeJson(value: unknown, parts: string[]): void {
  if (typeof value === 'bigint' || value instanceof Verbatim) parts.push(String(value));
  else if (value === null || typeof value !== 'object') parts.push(JSON.stringify(value) ?? 'null');
  else if (Array.isArray(value)) {
    parts.push('[');
    for (const [i, item] of value.entries()) {
      if (i > 0) parts.push(',');
      writeJson(item ?? null, parts);
    }
    parts.push(']');
  } else {
    let before = '{';
    for (const name in value) {
      const member = (value as Record<string, unknown>)[name];
      if (member === undefined) continue;
      parts.push(before, JSON.stringify(name), ':');
      writeJson(member, parts);
      before = ',';
    }
    parts.push(before === '{' ? '{}' : '}');
  }
}

/** The same for a column; null where it holds something nested so deep that it was not parsed. */
export const flatJsonText = (value: unknown): string | null => (holdsNested(value) ? null : jsonText(value));

function holdsNested(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false;
  if (value instanceof Verbatim) return value.isNested;
  for (const name in value) if (holdsNested((value as Record<string, unknown>)[name])) return true;
  return false;
}
