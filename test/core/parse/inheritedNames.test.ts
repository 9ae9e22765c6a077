import { expect, test } from 'vitest';
import { z } from 'zod';
import { optional, text } from '../../../src/core/columns/columns.ts';
import { RawValue } from '../../../src/core/json/rawValue.ts';
import { emptyPage, parseRecords } from '../../../src/core/parse/parseRecords.ts';
import { defineStream } from '../../../src/core/stream/defineStream.ts';

const network = { networkId: 1, network: 'mainnet', hrp: 'avax', chains: [] };
const partition = { values: {} };
const part = z.object({ a: text('A.') });

/** A stream of which some members have names that every object inherits. */
const stream = defineStream(
  { name: 'data', description: 'made up', numbers: 'lossless' },
  {
    name: 'own',
    description: 'x',
    endpoint: 'x',
    parameters: z.strictObject({}),
    partitions: () => [partition],
    schema: z.object({
      id: text('Id.'),
      constructor: optional(text('C.')),
      valueOf: z.object({ toString: optional(text('T.')) }).nullish(),
      hasOwnProperty: z.array(part).nullish(),
    }),
    key: ['id'],
    children: { own_parts: { description: 'x', schema: part, key: ['position'], of: 'hasOwnProperty' } },
    way: 'snapshot',
    *pages() {},
    records: 'items',
  },
);

const full = { id: 'a', constructor: 'b', valueOf: { toString: 'c' }, hasOwnProperty: [{ a: 'd' }] };
test.each([
  ['none of them', { id: 'a' }, { constructor: null, value_of_to_string: null }, 0],
  ['an empty object', { id: 'a', valueOf: {} }, { constructor: null, value_of_to_string: null }, 0],
  ['all of them', full, { constructor: 'b', value_of_to_string: 'c' }, 1],
])('members that are called as what every object inherits: a record with %s', (_, record, expected, parts) => {
  // The reader of bytes takes the first, zod the second.
  for (const raw of [RawValue.from(record), record]) {
    const page = emptyPage(stream, partition);
    parseRecords(stream, partition, network, [raw] as never, page);
    expect(page.quarantined).toEqual([]);
    expect(page.set.own.toObjects()).toMatchObject([{ id: 'a', ...expected, _extra: null }]);
    expect(page.set.rowsOf('own_parts').length).toBe(parts);
  }
});
