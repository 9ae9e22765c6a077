import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { z } from 'zod';
import { columnMeta } from '../../../src/core/columns/columnSchema.ts';
import { unwrap } from '../../../src/core/columns/unwrap.ts';
import { wireForm } from '../../../src/core/parse/wireForm.ts';

/** The value of every partition column. */
export const asked = '43114';

/** JSON text of a value, so that literals stand as no JavaScript value would write them. */
export type JsonText = string;

const quoted = (text: fc.Arbitrary<string>): fc.Arbitrary<JsonText> => text.map((value) => JSON.stringify(value));
const hexDigits = fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEF'), maxLength: 70 });
/** Fits every column. */
const small = fc.bigInt({ min: 0n, max: 2n ** 31n - 1n });
const decimal = fc.oneof(
  // Otherwise a record of twenty members would hardly ever be read.
  { arbitrary: small, weight: 100 },
  fc.bigInt({ min: 0n, max: 2n ** 53n }),
  fc.bigInt({ min: -(2n ** 64n), max: 2n ** 65n }),
  fc.bigInt({ min: 0n, max: 2n ** 257n }),
  fc.constantFrom(
    0n,
    -1n,
    2n ** 31n,
    2n ** 63n - 1n,
    2n ** 63n,
    2n ** 64n,
    10n ** 38n - 1n,
    10n ** 38n,
    2n ** 256n - 1n,
  ),
);

const anything: fc.Arbitrary<JsonText> = fc.oneof(
  fc.json(),
  fc.constantFrom(
    'null',
    'true',
    '""',
    '"0x"',
    '0',
    '-0',
    '1.0',
    '1e3',
    '1E400',
    '007',
    '-',
    '{}',
    '[]',
    '[',
    '"\\ud800"',
    '"\\x"',
    'nul',
    '"a\u0001b"',
  ),
);

const withChecksum = fc.uint8Array({ maxLength: 40 }).map((bytes) => {
  const checksum = createHash('sha256').update(bytes).digest().subarray(-4);
  return JSON.stringify(`0x${Buffer.concat([bytes, checksum]).toString('hex')}`);
});

/** A share or a price that its column holds. */
const share = fc.nat({ max: 10_000 }).map((n) => (n % 2 === 0 ? `${n / 100}` : `"${n / 100}"`));

const kinds: Record<string, fc.Arbitrary<JsonText>> = {
  text: quoted(fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.string({ minLength: 13, maxLength: 40 }))),
  hex: fc.tuple(fc.constantFrom('0x', '', '0X'), hexDigits).map(([prefix, digits]) => `"${prefix}${digits}"`),
  integer: fc.oneof(
    decimal.map(String),
    decimal.map((value) => `"${value}"`),
    decimal.filter((value) => value >= 0n).map((value) => `"0x${value.toString(16)}"`),
    fc.tuple(fc.constantFrom('0', '00', ''), fc.nat()).map(([zeros, value]) => `"${zeros}${value}"`),
  ),
  texts: fc.array(quoted(fc.string())).map((items) => `[${items.join(', ')}]`),
  hexes: fc
    .array(fc.tuple(fc.constantFrom('0x', '0x', '', '0X'), hexDigits))
    .map((items) => `[${items.map(([prefix, digits]) => `"${prefix}${digits}"`).join(', ')}]`),
  boolean: fc.constantFrom('true', 'false', '"true"', '1'),
  unixSeconds: fc.oneof(
    fc.nat({ max: 2 ** 31 - 1 }).map(String),
    decimal.map(String),
    fc.nat().map((n) => `"${n}"`),
  ),
  value: fc.oneof(
    fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-01-01') }).map((date) => JSON.stringify(date)),
    fc.json(),
    decimal.map((value) => `"${value}"`),
    fc.array(quoted(fc.string())).map((items) => `[${items.join(', ')}]`),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  ),
};

/** JSON text of a value that a schema might be given: mostly what it describes, now and then anything else. */
export function arbitraryRecord(schema: z.ZodType, oddity: number): fc.Arbitrary<JsonText> {
  const { inner } = unwrap(schema);
  const meta = columnMeta(inner);
  const odd = { arbitrary: anything, weight: oddity };
  const usual = (arbitrary: fc.Arbitrary<JsonText>) => fc.oneof({ arbitrary, weight: 100 }, odd);
  // Without oddities every value fits, however many a record has.
  if (oddity === 0 && meta && /integer|unsigned|unixSeconds/.test(meta.wire ?? '')) return small.map(String);
  if (oddity === 0 && meta?.wire === 'boolean') return fc.boolean().map(String);
  if (oddity === 0 && meta?.wire === 'hex') return hexDigits.map((digits) => `"0x${digits}"`);
  if (oddity === 0 && meta?.wire === 'hexes') return kinds['hexes'] as fc.Arbitrary<JsonText>;
  if (oddity === 0 && meta?.type === 'varchars')
    return fc.array(quoted(fc.string())).map((items) => `[${items.join(', ')}]`);
  if (meta?.echo) return usual(fc.constant(JSON.stringify(asked)));
  if (meta?.type === 'blob') return usual(withChecksum);
  if (meta?.type === 'decimal18')
    return usual(fc.oneof({ arbitrary: share, weight: 50 }, kinds['value'] as typeof share));
  if (meta?.type === 'double') return usual(fc.double({ noNaN: true, noDefaultInfinity: true }).map(String));
  if (meta)
    return usual(kinds[meta.wire === 'unsigned' ? 'integer' : (meta.wire ?? 'value')] as fc.Arbitrary<JsonText>);
  const { short, single } = wireForm(schema);
  if (inner instanceof z.ZodObject) {
    const whole = arbitraryObject(inner as z.ZodObject<z.ZodRawShape>, oddity);
    const alone = inner.shape[short ?? ''] as z.ZodType | undefined;
    return usual(alone ? fc.oneof(whole, arbitraryRecord(alone, oddity)) : whole);
  }
  if (inner instanceof z.ZodArray) {
    const item = arbitraryRecord(inner.element as z.ZodType, oddity);
    const items = fc.array(item, { maxLength: 3 }).map((texts) => `[${texts.join(',')}]`);
    return usual(single ? fc.oneof(items, item) : items);
  }
  return anything;
}

const space = fc.constantFrom('', '', '', '', ' ', '\n\t ');
const unknownName = fc.oneof(
  fc.constantFrom('newMember', 'constructor', '__proto__', 'to-string', 'a"b', '', '7'),
  fc.string({ maxLength: 5 }),
);

function arbitraryObject(schema: z.ZodObject<z.ZodRawShape>, oddity: number): fc.Arbitrary<JsonText> {
  const members = Object.entries(schema.shape).map(([name, member]) => {
    const { names = [], repeats = [] } = wireForm(member as z.ZodType);
    return (
      fc
        .tuple(arbitraryRecord(member as z.ZodType, oddity), fc.nat({ max: 999 }), space, fc.nat({ max: names.length }))
        // Now and then a member is missing, null or there twice, or repeats what stands around it.
        .chain(([value, chance, gap, place]): fc.Arbitrary<string[]> => {
          const text = `${JSON.stringify([name, ...names][place])}${gap}:${gap}${value}${gap}`;
          if (chance < oddity * 5) return fc.constant([]);
          if (chance < oddity * 8) return fc.constant([`${JSON.stringify(name)}:null`]);
          if (chance < oddity * 9) return fc.constant([text, text]);
          const again = repeats[chance % (repeats.length + 1)];
          if (again === undefined) return fc.constant([text]);
          const one = arbitraryRecord(schema.shape[again] as z.ZodType, oddity);
          const repeated = one.map((said) => `${JSON.stringify(again)}:${said}`);
          return repeated.map((said) => [`${JSON.stringify(name)}:{${said}}`, ...(chance % 2 === 0 ? [said] : [])]);
        })
    );
  });
  const unknown = fc.tuple(unknownName, anything).map(([name, value]) => `${JSON.stringify(name)}:${value}`);
  return fc
    .tuple(
      fc.tuple(...members),
      fc.oneof(
        { arbitrary: fc.constant([]), weight: 20 },
        { arbitrary: fc.array(unknown, { maxLength: 3 }), weight: oddity },
      ),
      fc.boolean(),
    )
    .map(([known, extra, isReversed]) => {
      const all = [...known.flat(), ...extra];
      return `{${(isReversed && oddity > 1 ? all.reverse() : all).join(',')}}`;
    });
}
