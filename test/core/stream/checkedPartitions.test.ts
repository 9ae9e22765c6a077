import { expect, test } from 'vitest';
import { checkedPartitions } from '../../../src/core/stream/checkDeclaration.ts';
import type { Partition } from '../../../src/core/stream/partition.ts';

const check = (columns: readonly string[], given: readonly unknown[]) => () =>
  checkedPartitions('prices', columns, given as readonly Partition[]);

test.each<[string, string[], unknown[], string]>([
  ['no value', ['coin'], [{ values: {} }], `must give a list of { values: { coin: '…' } }`],
  ['a value that is no text', ['coin'], [{ values: { coin: 7 } }], `must give a list of { values: { coin: '…' } }`],
  [
    'others that differ in settings alone',
    [],
    ['usd', 'eur'].map((currency) => ({ values: {}, filters: {}, settings: { currency } })),
    'gives several with the same values and filters, which would be one: name what tells them apart in',
  ],
  [
    'another one of the same values whose settings are other',
    ['coin'],
    [1, 2].map((size) => ({ values: { coin: 'avax' }, settings: { size } })),
    'gives several with the same values and filters',
  ],
])('partitions with %s are refused', (_, columns, given, said) => {
  expect(check(columns, given)).toThrow(`prices: "partitions" ${said}`);
});

test.each<[string, string[], unknown[]]>([
  ['none', ['coin'], []],
  ['one without values', [], [{ values: {} }]],
  [
    'several by their filters',
    [],
    [{ values: {} }, { values: {}, filters: { a: 1 } }, { values: {}, filters: { a: 2 } }],
  ],
  [
    'one that is there twice',
    ['coin'],
    [1, 1].map((size) => ({ values: { coin: 'avax' }, filters: {}, settings: { size } })),
  ],
  ['some without a filter', ['coin'], ['a', 'b'].map((coin) => ({ values: { coin }, filters: {}, settings: {} }))],
])('partitions are taken: %s', (_, columns, given) => {
  expect(check(columns, given)()).toBe(given);
});
