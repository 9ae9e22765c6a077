import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { partitionKey, partitionMembers } from '../../../src/core/stream/partition.ts';

describe('partitionKey', () => {
  test.each([
    [{ values: {} }, 'all'],
    [{ values: { chain_id: '1', address: '0xa' } }, 'address=0xa,chain_id=1'],
    [{ values: { b: '1' }, filters: { a: true, c: 2 } }, 'a=true,b=1,c=2'],
    [{ values: { a: 'x,b=1\\' } }, 'a=x\\,b=1\\\\'],
  ])('%j is %s', (partition, key) => {
    expect(partitionKey(partition)).toBe(key);
  });

  test('settings are no part of it', () => {
    expect(partitionKey({ values: { a: '1' }, settings: { pageSize: 10 } })).toBe(partitionKey({ values: { a: '1' } }));
  });

  test('its members are read back', () => {
    const names = fc.constantFrom('a', 'b_c', 'chainId');
    const value = fc.string({ unit: fc.constantFrom('x', ',', '=', '\\', '0') });
    fc.assert(
      fc.property(fc.dictionary(names, value), (values) => {
        expect(Object.fromEntries(partitionMembers(partitionKey({ values })))).toEqual({ ...values });
      }),
    );
  });

  test('tells different partitions apart', () => {
    const values = fc.dictionary(
      fc.constantFrom('a', 'b', 'c'),
      fc.string({ unit: fc.constantFrom('x', ',', '=', '\\', 'b') }),
    );
    fc.assert(
      fc.property(values, values, (one, other) => {
        const same = JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort());
        expect(partitionKey({ values: one }) === partitionKey({ values: other })).toBe(same);
      }),
    );
  });
});
