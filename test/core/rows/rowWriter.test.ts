import fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import {
  amount,
  boolean,
  bytes,
  hex,
  int32,
  int64,
  optional,
  text,
  texts,
  transient,
  uint64,
  uint256,
  unixSeconds,
} from '../../../src/core/columns/columns.ts';
import { defineTable } from '../../../src/core/columns/table.ts';
import { Cell } from '../../../src/core/rows/cell.ts';
import { Rows } from '../../../src/core/rows/rows.ts';
import { type DecodedRow, type Filling, rowAppender, rowWriter } from '../../../src/core/rows/rowWriter.ts';

const schema = z.object({
  name: text('Name.'),
  hash: hex('Hash.'),
  quantity: optional(hex('Quantity.')),
  height: int64('Height.'),
  nonce: uint64('Nonce.'),
  stake: optional(amount('Stake.')),
  value: optional(uint256('Value.')),
  time: optional(unixSeconds('Time.')),
  signed: boolean('Signed.'),
  owners: texts('Owners.'),
  genesis: bytes('Genesis.'),
  raw: transient('Canonical bytes.'),
});
type Decoded = DecodedRow<typeof schema>;

const table = defineTable({ name: 'raw.things', description: 'Things.', schema, key: ['name'] });
const emptyRows = () => new Rows([...table.columns.filter(({ name }) => name !== '_load_id'), ...table.transient]);
const one = new Uint8Array([1, 0xab]);
const row: Decoded = {
  name: 'é',
  hash: '0x01ab',
  quantity: null,
  height: -7,
  nonce: 2n ** 64n - 1n,
  stake: 2n ** 64n,
  value: 5,
  time: 1_700_000_000n,
  signed: true,
  owners: ['a', 'é'],
  genesis: one,
  raw: one,
};
const add = rowAppender(schema);

test('a quantity has no zero in front, whatever its first byte is', () => {
  const rows = emptyRows();
  const cell = new Cell(rows, 'quantity');
  for (let byte = 0; byte < 256; byte++) {
    rows.add();
    cell.quantity(Uint8Array.of(byte));
  }
  expect(rows.toObjects().map(({ quantity }) => quantity)).toEqual(
    Array.from({ length: 256 }, (_, byte) => `0x${byte.toString(16)}`),
  );
});

describe('rows that are given as objects', () => {
  test('come back as they were, times in microseconds', () => {
    const rows = emptyRows();
    add(rows, row);
    add(rows, { ...row, time: null, stake: null, value: null });
    add(rows, { ...row, time: 0 });
    const stored = { ...row, time: 1_700_000_000_000_000, stake: 2n ** 64n, value_text: null, _extra: null };
    expect(rows.toObjects()).toEqual([
      stored,
      { ...stored, time: null, stake: null, value: null },
      { ...stored, time: 0 },
    ]);
  });

  test('hold an integer of 256 bits as its digits, and refuse what no column holds', () => {
    const rows = emptyRows();
    add(rows, { ...row, value: 2n ** 256n - 1n });
    expect(rows.row(0)).toMatchObject({ value: null, value_text: String(2n ** 256n - 1n) });
    expect(() => add(rows, { ...row, height: 2n ** 63n })).toThrow(
      'height is 9223372036854775808, which its column cannot hold',
    );
    expect(() => add(rows, { ...row, nonce: -1n })).toThrow('nonce is -1, which its column cannot hold');
  });

  test.each([-1, 253_402_300_800, 2n ** 63n - 1n])('have no time for %s, which is in no year up to 9999', (time) => {
    const rows = emptyRows();
    add(rows, { ...row, time });
    expect(rows.row(0)['time']).toBeNull();
  });

  test('are of a type that follows from the schema', () => {
    expectTypeOf<Decoded['quantity']>().toEqualTypeOf<string | null>();
    expectTypeOf<Decoded['time']>().toEqualTypeOf<number | bigint | null>();
    expectTypeOf<Decoded['height']>().toEqualTypeOf<number | bigint>();
    const { name: _, ...missing } = row;
    // @ts-expect-error a column is missing
    const incomplete: Decoded = missing;
    expect(incomplete).not.toHaveProperty('name');
  });
});

const filling: Filling<typeof schema, Buffer> = {
  name: (cell) => cell.text('x'),
  hash: (cell, read) => cell.hex(read),
  quantity: (cell, read) => cell.quantity(read),
  height: (cell, read) => cell.unsigned(read, 0, Math.min(7, read.length)),
  nonce: (cell, read) => cell.unsigned(read, 0, Math.min(8, read.length)),
  stake: (cell, read) => cell.unsigned(read, 0, Math.min(15, read.length)),
  value: (cell, read) => cell.unsigned(read),
  time: (cell) => cell.seconds(null),
  signed: (cell) => cell.boolean(false),
  owners: (cell, read) => cell.hexes([read, read]),
  genesis: (cell, read) => cell.bytes(read),
  raw: (cell, read) => cell.bytes(read),
};
const write = rowWriter<typeof schema, Buffer>(filling);

/** Bytes of an integer as they come: nothing in front of the first that is not zero. */
const integers = fc
  .uint8Array({ maxLength: 32 })
  .map((value) => Buffer.from(value.subarray(value.findIndex((byte) => byte !== 0) >>> 0)));

describe('rows that are written column by column', () => {
  test('hold what their bytes are, in any room', () => {
    fc.assert(
      fc.property(fc.array(integers, { minLength: 1, maxLength: 20 }), (given) => {
        const rows = emptyRows();
        for (const read of given) write(rows, read);
        for (const [i, read] of given.entries()) {
          const integerOf = (length: number) => BigInt(`0x0${read.subarray(0, length).toString('hex')}`);
          const text = `0x${read.toString('hex')}`;
          const { value, value_text, ...stored } = rows.row(i);
          expect(stored).toMatchObject({ name: 'x', hash: text, owners: [text, text], time: null, signed: false });
          expect(stored['quantity']).toBe(`0x${integerOf(32).toString(16)}`);
          expect([stored['height'], stored['nonce'], stored['stake']].map((held) => BigInt(held as number))).toEqual(
            [7, 8, 15].map(integerOf),
          );
          expect(value_text ?? String(value)).toBe(String(integerOf(32)));
          expect(value === null).toBe(integerOf(32) >= 10n ** 38n);
          expect([stored['genesis'], stored['raw']].map((held) => Buffer.from(held as Uint8Array))).toEqual([
            read,
            read,
          ]);
        }
      }),
    );
  });

  test('are taken back, and leave nothing of themselves', () => {
    const rows = emptyRows();
    write(rows, Buffer.alloc(32, 255));
    rows.truncate(0);
    add(rows, { ...row, value: null });
    expect(rows.row(0)).toMatchObject({ quantity: null, value: null, value_text: null });
  });

  test('need every column filled by its type', () => {
    const { name: _, ...others } = filling;
    // @ts-expect-error a column is not filled
    rowWriter<typeof schema, Buffer>(others);
    // @ts-expect-error a function that writes nothing
    rowWriter<typeof schema, Buffer>({ ...filling, name: () => undefined });
    // @ts-expect-error NULL in a column that takes none
    rowWriter<typeof schema, Buffer>({ ...filling, name: (cell) => cell.text(null) });
    // @ts-expect-error text in a column of integers
    rowWriter<typeof schema, Buffer>({ ...filling, height: (cell) => cell.text('1') });
    expect(() => write(new Rows([]), Buffer.from(one))).toThrow('rows have no column name');
  });
});

test('transient columns are held beside the table and are none of it', () => {
  expect(table.columns.map(({ name }) => name)).not.toContain('raw');
  expect(table.transient).toMatchObject([{ name: 'raw', type: 'blob', nullable: true }]);
});

test('an unsigned integer that its column cannot hold is refused, and not cut', () => {
  const { columns } = defineTable({
    name: 'raw.t_s',
    description: 'd',
    key: ['v'],
    schema: z.object({ v: int32('v') }),
  });
  const rows = new Rows(columns);
  const write = rowWriter<z.ZodObject<{ v: ReturnType<typeof int32> }>, Buffer>({
    v: (cell, read) => cell.unsigned(read),
  });
  write(rows, Buffer.from('7fffffff', 'hex'));
  expect(rows.row(0)['v']).toBe(2 ** 31 - 1);
  for (const hex of ['ffffffff', '0100000001']) expect(() => write(rows, Buffer.from(hex, 'hex'))).toThrow('v is');
});
