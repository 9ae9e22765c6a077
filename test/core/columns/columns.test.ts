import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ColumnSchema, columnMeta } from '../../../src/core/columns/columnSchema.ts';
import * as columns from '../../../src/core/columns/columns.ts';
import type { Value } from '../../../src/core/columns/columnType.ts';
import { parseLossless } from '../../../src/core/json/parseLossless.ts';
import { Verbatim } from '../../../src/core/json/verbatim.ts';

const refused = Symbol('refused');

function parse(schema: ColumnSchema<never> | ColumnSchema, input: unknown): Value | typeof refused {
  const parsed = (schema as ColumnSchema).safeParse(input);
  return parsed.success ? parsed.data : refused;
}

const max64 = 2n ** 63n - 1n;
const maxU64 = 2n ** 64n - 1n;
const maxU256 = 2n ** 256n - 1n;
const max38 = 10n ** 38n - 1n;

describe.each<[string, ColumnSchema, [unknown, Value | typeof refused][]]>([
  [
    'text',
    columns.text('t'),
    [
      ['', ''],
      ['quote " newline \n NUL \0 emoji 🏔 rtl \u202e', 'quote " newline \n NUL \0 emoji 🏔 rtl \u202e'],
      [5, '5'],
      [maxU256, String(maxU256)],
      [true, 'true'],
      [new Verbatim('1.10'), '1.10'],
      [new Verbatim('[[1]]'), refused],
      [null, refused],
      [undefined, refused],
      [{}, refused],
      [[], refused],
    ],
  ],
  [
    'hex',
    columns.hex('h'),
    [
      ['0xAbC', '0xabc'],
      ['ABC', '0xabc'],
      ['0x', '0x'],
      ['0XAB', '0xab'],
      ['0xg', refused],
      ['avax1', refused],
      [5, refused],
      [null, refused],
    ],
  ],
  [
    'int64',
    columns.int64('i'),
    [
      [0, 0],
      [-5, -5],
      ['-5', -5],
      ['-0', 0],
      ['007', 7],
      ['0x1e5', 0x1e5],
      ['0xFF', 255],
      [String(max64), max64],
      [max64, max64],
      [max64 + 1n, refused],
      [String(max64 + 1n), refused],
      [-(max64 + 1n), -(max64 + 1n)],
      [1.5, refused],
      ['1.0', refused],
      ['1e3', refused],
      [new Verbatim('1.0'), 1],
      [new Verbatim('1e3'), 1000],
      [new Verbatim('1.5e1'), 15],
      [new Verbatim('9223372036854775807.00'), max64],
      [new Verbatim('9007199254740991.4'), refused],
      [new Verbatim('1.00000000000000000001'), refused],
      [new Verbatim('1e-400'), refused],
      [new Verbatim('1e400'), refused],
      [new Verbatim('[[1]]'), refused],
      ['0b11', refused],
      ['+5', refused],
      [' 5', refused],
      ['', refused],
      ['-', refused],
      ['0x', refused],
      ['--1', refused],
      [Number.NaN, refused],
      [2 ** 53, refused],
      [true, refused],
      [null, refused],
    ],
  ],
  [
    'int32',
    columns.int32('i'),
    [
      [2 ** 31 - 1, 2 ** 31 - 1],
      [2 ** 31, refused],
      ['-2147483648', -(2 ** 31)],
      ['-2147483649', refused],
    ],
  ],
  [
    'uint64',
    columns.uint64('u'),
    [
      [maxU64, maxU64],
      [String(maxU64), maxU64],
      ['18446744073709551616', refused],
      [-1, refused],
      ['-1', refused],
    ],
  ],
  [
    'amount',
    columns.amount('a'),
    [
      [String(max38), max38],
      [`-${max38}`, -max38],
      [max38 + 1n, refused],
      [-max38 - 1n, refused],
      ['1.5', refused],
    ],
  ],
  [
    'uint256',
    columns.uint256('u'),
    [
      [String(maxU256), maxU256],
      [parseLossless('1e+21'), 10n ** 21n],
      [parseLossless('1.234e+21'), 1234n * 10n ** 18n],
      [parseLossless('1.5e-7'), refused],
      [parseLossless('1e+99'), refused],
      [maxU256 + 1n, refused],
      [-1n, refused],
      [`0x${maxU256.toString(16)}`, maxU256],
    ],
  ],
  [
    'decimal',
    columns.decimal('d', 'percent'),
    [
      [1.5, '1.5'],
      ['1.50', '1.50'],
      ['-0.1', '-0.1'],
      [1e-7, '1e-7'],
      [10n ** 20n, '100000000000000000000'],
      ['', refused],
      [' ', refused],
      ['1.', refused],
      ['x', refused],
      ['0x10', refused],
      [Number.POSITIVE_INFINITY, refused],
      ['1e9999', refused],
      [null, refused],
      [true, refused],
    ],
  ],
  [
    'boolean',
    columns.boolean('b'),
    [
      [true, true],
      ['false', false],
      ['true', true],
      [1, refused],
      ['yes', refused],
    ],
  ],
  [
    'unixSeconds',
    columns.unixSeconds('t'),
    [
      [1_700_000_000, 1_700_000_000_000_000],
      ['1700000000', 1_700_000_000_000_000],
      ['0x6553f100', 1_700_000_000_000_000],
      [-1, -1_000_000],
      [9_199_999_999, 9_199_999_999_000_000],
      [9_200_000_000, refused],
      [-9_200_000_000, refused],
      [1_700_000_000.5, refused],
      [1_700_000_000_000, refused],
      [maxU64, refused],
      ['2023-11-14T22:13:20Z', refused],
    ],
  ],
  [
    'rfc3339',
    columns.rfc3339('t'),
    [
      ['2026-01-20T00:01:12Z', Date.UTC(2026, 0, 20, 0, 1, 12) * 1000],
      ['2026-01-19T17:01:12.123456789-07:00', Date.UTC(2026, 0, 20, 0, 1, 12) * 1000 + 123456],
      ['2026-01-20t00:01:12.5z', Date.UTC(2026, 0, 20, 0, 1, 12) * 1000 + 500000],
      ['2026-01-20 00:01:12.000001+00:00', Date.UTC(2026, 0, 20, 0, 1, 12) * 1000 + 1],
      ['1969-12-31T23:59:59.75-00:30', 1_799_750_000],
      ['2026-01-20T00:01:12+13:37', Date.UTC(2026, 0, 19, 10, 24, 12) * 1000],
      ['2026-01-20 00:01:12+24:00', refused],
      ['2026-01-20T24:00:00.5Z', refused],
      ['2026-01-20T00:01:12', refused],
      ['2026-13-20T00:01:12Z', refused],
      ['2026-02-29T00:01:12Z', refused],
      ['2028-02-29T00:01:12Z', Date.UTC(2028, 1, 29, 0, 1, 12) * 1000],
      ['2026-04-31T00:01:12+02:00', refused],
      ['2026-01-20', refused],
      [1_700_000_000, refused],
    ],
  ],
  [
    'texts',
    columns.texts('t'),
    [
      [
        ['a', 5, 2n ** 70n],
        ['a', '5', String(2n ** 70n)],
      ],
      [[], []],
      [['a', null], refused],
      ['a', refused],
      [null, refused],
    ],
  ],
  [
    'hexes',
    columns.hexes('h'),
    [
      [
        ['0xAb', 'CD', '0x'],
        ['0xab', '0xcd', '0x'],
      ],
      [[], []],
      [['0xg'], refused],
      [[5], refused],
      ['0xab', refused],
    ],
  ],
  [
    'json',
    columns.json('j'),
    [
      [{ b: 2n ** 64n, a: [null, 'x', undefined] }, '{"b":18446744073709551616,"a":[null,"x",null]}'],
      ['text', '"text"'],
      [0, '0'],
      [undefined, refused],
    ],
  ],
  [
    'bytes',
    columns.bytes('b'),
    [
      [new Uint8Array([1, 2]), new Uint8Array([1, 2])],
      ['0x01', refused],
    ],
  ],
])('%s', (_, schema, cases) => {
  test.each(cases.map(([input, value]) => ({ input, value })))('$input -> $value', ({ input, value }) => {
    expect(parse(schema, input)).toEqual(value);
  });
});

describe('integers', () => {
  test('keep every digit, whether they come as text, number or bigint', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: maxU256 }), (value) => {
        const schema = columns.uint256('u');
        const results = [value, String(value), `0x${value.toString(16)}`].map((input) => parse(schema, input));
        expect(results.map((result) => BigInt(result as bigint))).toEqual([value, value, value]);
      }),
    );
  });

  test('are what BigInt reads, or are refused', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('0', '1', '9', '-', '.', 'e', 'x', 'a', ' ', '+'), maxLength: 20 }),
        (input) => {
          const result = parse(columns.int64('i'), input);
          if (result !== refused) expect(BigInt(result as bigint)).toBe(BigInt(input));
        },
      ),
    );
  });
});

describe('helpers', () => {
  test('optional takes null and nothing', () => {
    const schema = columns.optional(columns.text('t'));
    expect([null, undefined, 'x'].map((input) => schema.safeParse(input).data)).toEqual([null, undefined, 'x']);
    expect(schema.safeParse({}).success).toBe(false);
  });

  test('named changes the name of its own copy only', () => {
    const plain = columns.text('t');
    const renamed = columns.named('other', plain);
    expect(columnMeta(renamed)?.name).toBe('other');
    expect(columnMeta(plain)?.name).toBeUndefined();
    expect(parse(renamed, 5)).toBe('5');
  });

  test('a refusal says what was expected and what came, shortly', () => {
    const refusal = columns.int64('i').safeParse('x'.repeat(500)).error?.issues[0]?.message ?? '';
    expect(refusal).toMatch(/^expected a signed 64-bit integer, got "x/);
    expect(refusal.length).toBeLessThan(130);
  });

  test('a refusal shows integers of any size, however deep they stand', () => {
    const refusal = columns.int64('i').safeParse({ a: [2n ** 64n] }).error?.issues[0]?.message;
    expect(refusal).toBe('expected a signed 64-bit integer, got {"a":[18446744073709551616]}');
  });
});
