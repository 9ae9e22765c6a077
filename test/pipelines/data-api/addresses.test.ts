import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addressDigest,
  addressGroups,
  packGroups,
  splitNotes,
  withoutEvm,
} from '../../../pipelines/data-api/addresses.ts';
import { evmAddresses } from '../../../pipelines/data-api/evmAddress.ts';

const alice = 'avax19zfygxaf59stehzedhxjesads0p5jdvfeedal0';
const bob = 'avax1qurswpc8qurswpc8qurswpc8qurswpc8x32neu';

const address = fc.nat(40).map((n) => `avax1${String(n).padStart(8, 'q')}`);
const groups = fc.array(fc.array(address, { minLength: 1, maxLength: 6 }), { maxLength: 20 });
const limits = { addresses: 4, length: 50 };
const fits = (list: readonly string[]) => list.length <= limits.addresses && list.join(',').length <= limits.length;

describe('packGroups', () => {
  test('names every address once a request, within the limits, and splits a group only where it alone exceeds them', () => {
    fc.assert(
      fc.property(groups, (given) => {
        const requests = packGroups(given, limits);
        expect(new Set(requests.flat())).toEqual(new Set(given.flat()));
        expect(requests.every((list) => list.length === 1 || fits(list))).toBe(true);
        expect(requests.filter((list) => new Set(list).size < list.length)).toEqual([]);
        for (const group of given) {
          const distinct = [...new Set(group)];
          if (fits(distinct)) expect(requests.some((list) => distinct.every((one) => list.includes(one)))).toBe(true);
        }
      }),
    );
  });

  test('takes one request where all fit', () => {
    expect(packGroups([['a', 'b'], ['c'], ['a']], { addresses: 3, length: 100 })).toEqual([['a', 'b', 'c']]);
    expect(packGroups([['a'], ['b']], { addresses: 2, length: 3 })).toEqual([['a', 'b']]);
    expect(packGroups([], limits)).toEqual([]);
  });
});

test('addresses lose their chain prefix and case, and groups stay together', () => {
  expect(
    addressGroups([`X-${alice}, P-${bob.toUpperCase()}`, '0xAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'], {
      hrp: 'avax',
    }),
  ).toEqual([[alice, bob], [`0x${'a'.repeat(40)}`]]);
  expect(addressGroups([alice], { hrp: 'local' })).toEqual([[alice]]);
  expect(withoutEvm([['avax1q', '0xaa'], ['0xbb']])).toEqual([['avax1q']]);
});

test('a note says how often a list is split, and which groups are torn', () => {
  const list = (n: number) => Array.from({ length: n }, (_, i) => `a${i}`);
  expect(splitNotes([list(4)], limits)).toEqual([]);
  expect(splitNotes([list(4), ['a0', 'b']], limits)).toEqual([
    '5 addresses take 2 requests (at most 4 addresses each)',
  ]);
  expect(splitNotes([list(5)], limits)).toEqual([
    expect.stringMatching(/1 configured groups are too long to stay together$/),
  ]);
});

test('a digest tells sets apart, whatever their order and length', () => {
  expect(addressDigest([['b', 'a'], ['c']])).toBe(addressDigest([['c'], ['a', 'b']]));
  const set = (list: readonly (readonly string[])[]) =>
    JSON.stringify(list.map((group) => [...group].sort().join()).sort());
  fc.assert(
    fc.property(groups, groups, (one, other) => {
      expect(addressDigest(one) === addressDigest(other)).toBe(set(one) === set(other));
    }),
  );
});

test('an address in several forms is one', () => {
  const forms = [`P-${bob}`, bob.toUpperCase(), bob, `${bob},${alice}`];
  expect(addressGroups(forms, { hrp: 'avax' })).toEqual([[bob], [bob, alice]]);
});

test.each(['0x1234567', '0x8Db97C7cEcE249c2b98bDC0226Cc4C1A57CF52FC', `0x1${'2'.repeat(45)}`])(
  '%s is no address, though hex digits behind a 1 look like one of the Primary Network',
  (entry) => {
    expect(() => addressGroups([entry], { hrp: 'avax' })).toThrow(/is neither a Primary Network address/);
  },
);

test('an address of the other public network is refused', () => {
  expect(() => addressGroups([`P-${bob}`], { hrp: 'fuji' })).toThrow(
    `"P-${bob}" is of another network: addresses of this one begin with fuji1.`,
  );
  const local = 'local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u';
  expect(addressGroups([local], { hrp: 'fuji' })).toEqual([[local]]);
});

test('an address whose checksum does not hold is refused', () => {
  const given = (address: string) => () => addressGroups([address], { hrp: 'avax' });
  expect(given(alice.replace('zed', 'zee'))).toThrow('its checksum does not hold');
  expect(given(alice.slice(0, -1))).toThrow('its checksum does not hold');
  const evm = '0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC';
  const mistyped = evm.replace('2b98', '2b89');
  for (const one of [evm, evm.toLowerCase(), mistyped.toLowerCase(), `0x${evm.slice(2).toUpperCase()}`])
    expect([addressGroups([one], { hrp: 'avax' }), evmAddresses([one])]).toEqual([
      [[one.toLowerCase()]],
      [one.toLowerCase()],
    ]);
  expect(given(mistyped)).toThrow('A digit may be mistyped');
  expect(() => evmAddresses([evm, mistyped])).toThrow(`"${mistyped}" is not an EVM address`);
});
