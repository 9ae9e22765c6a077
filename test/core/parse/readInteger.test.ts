import { expect, test } from 'vitest';
import { integerRanges } from '../../../src/core/columns/columnType.ts';
import { readInteger } from '../../../src/core/parse/readInteger.ts';
import { RowColumn } from '../../../src/core/rows/rowColumn.ts';

const powers = [2n, 10n].flatMap((base) => Array.from({ length: 140 }, (_, exponent) => base ** BigInt(exponent)));
/** Integers where a digit, a limb or a column ends. */
const values = powers.flatMap((power) => [power - 1n, power, power + 1n]);

const forms: readonly [string, (value: bigint) => string][] = [
  ['digits', String],
  ['digits in quotes', (value) => `"${value}"`],
  ['a quantity', (value) => `"0x${value.toString(16)}"`],
];

test.each(
  forms.flatMap(([form, write]) =>
    Object.entries(integerRanges).map(([type, range]) => ({ type, form, write, range })),
  ),
)('$type reads $form exactly, or leaves them to the schema', ({ type, write, range: [, most] }) => {
  const column = new RowColumn({ name: 'c', type: type as 'bigint', nullable: true, description: '' }, 8);
  for (const value of values) {
    const bytes = Buffer.from(`${write(value)},`);
    const end = readInteger(bytes, 0, column, 1);
    // What comes near 10^38 is left, too.
    if (value <= most && value < 10n ** 38n - 2n ** 96n) expect(end, write(value)).toBe(bytes.length - 1);
    if (value > most) expect(end, write(value)).toBe(-1);
    if (end >= 0) expect(BigInt(column.integerAt(1)), write(value)).toBe(value);
  }
});

test.each(['-', '""', '"0x"', '01', '-01', '1.5', '1e3', '"1', '"0x1', '"1.5"', '"0X1"', '"-0x1"', 'null', ''])(
  '%s is left to the schema',
  (text) => {
    const column = new RowColumn({ name: 'c', type: 'bigint', nullable: true, description: '' }, 8);
    expect(readInteger(Buffer.from(`${text},`), 0, column, 1)).toBe(-1);
    expect(column.isValid(1)).toBe(false);
  },
);
