import type { z } from 'zod';
import { columnMeta } from './columns.ts';
import type { ColumnType, Row, Value } from './columnType.ts';
import { FirnError } from './firnError.ts';
import { wideValue } from './wideValue.ts';

/** Last second that fits a TIMESTAMP with room to spare: the end of the year 9999. */
const lastSecond = 253_402_300_799;

const bounds: Partial<Record<ColumnType, readonly [bigint, bigint]>> = {
  bigint: [-(2n ** 63n), 2n ** 63n - 1n],
  ubigint: [0n, 2n ** 64n - 1n],
  decimal38: [-(10n ** 38n) + 1n, 10n ** 38n - 1n],
};

/**
 * Makes rows of a child table from decoded records, which do not pass through zod: times become the column's
 * microseconds, an amount of more than 38 digits goes to the text column beside its own, and any other integer that its column
 * cannot hold is an error instead of other digits.
 *
 * @param schema the child's schema; its members are named as the columns
 * @returns takes a record with times in Unix seconds; a time outside the years 1970-9999 becomes NULL. Throws FirnError `decode`
 */
export function derivedRows(schema: z.ZodObject<z.ZodRawShape>): (record: object) => Row {
  const times: string[] = [];
  const integers: { name: string; low: bigint; high: bigint }[] = [];
  const wide: string[] = [];
  for (const [name, member] of Object.entries(schema.shape)) {
    const meta = columnMeta(innermost(member as z.ZodType));
    if (meta?.type === 'timestamp') times.push(name);
    if (meta?.wide) wide.push(name);
    const [low, high] = (meta && !meta.wide && bounds[meta.type]) || [];
    if (low !== undefined && high !== undefined) integers.push({ name, low, high });
  }
  return (record) => {
    const row = { ...record } as Record<string, Value>;
    for (const name of times) row[name] = microseconds(row[name] as number | bigint | null);
    for (const name of wide) {
      const { held, text } = wideValue('decimal38', row[name] ?? null);
      if (text !== null) Object.assign(row, { [name]: held, [`${name}_text`]: text });
    }
    for (const { name, low, high } of integers) {
      const value = row[name];
      // Numbers are safe integers by the decoders' contract; only a bigint can be too large for 64 bits.
      if (typeof value === 'bigint' && (value < low || value > high)) {
        throw new FirnError('decode', `${name} is ${value}, which its column cannot hold`);
      }
    }
    return row;
  };
}

function microseconds(seconds: number | bigint | null): number | null {
  return seconds === null || seconds < 0 || seconds > lastSecond ? null : Number(seconds) * 1_000_000;
}

function innermost(schema: z.ZodType): z.ZodType {
  let inner = schema;
  while ('unwrap' in inner) inner = (inner as z.ZodOptional<z.ZodType>).unwrap() as z.ZodType;
  return inner;
}
