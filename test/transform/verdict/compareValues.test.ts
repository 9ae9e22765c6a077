import { expect, test } from 'vitest';
import { type Agreement, compareValues } from '../../../src/transform/verdict/compareValues.ts';
import type { Ratio } from '../../../src/transform/verdict/ratio.ts';

const exact = 2n ** 53n;

// Ours and the served number as numerator and denominator, and the decimals that the series shows.
test.each<[string, bigint[] | null, bigint[] | null, number, Agreement | null]>([
  ['exactly half of the last decimal above', [5n, 2n], [2n, 1n], 0, 'equal_rounded'],
  ['exactly half below', [5n, 2n], [3n, 1n], 0, 'equal_rounded'],
  ['exactly half of a negative number', [-5n, 2n], [-3n, 1n], 0, 'equal_rounded'],
  ['more than half', [251n, 100n], [2n, 1n], 0, null],
  ['exactly half of the second decimal', [1245n, 1000n], [125n, 100n], 2, 'equal_rounded'],
  ['half of the first where two are shown', [125n, 100n], [13n, 10n], 2, null],
  ['half of a number that is whole', [5n, 1n], [11n, 2n], 0, null],
  ['half of the last decimal, to 0', [1n, 2n], [0n, 1n], 0, null],
  ['the first whole number that doubles skip', [exact + 1n, 1n], [exact, 1n], 0, 'equal_as_double'],
  ['the last before it', [exact, 1n], [exact + 1n, 1n], 0, 'equal_as_double'],
  ['the double nearest to a quotient', [1n, 3n], [3333333333333333n, 10n ** 16n], 0, 'equal'],
  ['no number on one side', null, [0n, 1n], 0, null],
  ['no number on the other', [0n, 1n], null, 0, null],
  ['none on both', null, null, 0, 'equal'],
])('%s', (_, own, served, decimals, agreement) => {
  const ratio = (parts: bigint[] | null): Ratio | null => parts && { num: parts[0] ?? 0n, den: parts[1] ?? 1n };
  expect(compareValues(ratio(own), ratio(served), decimals)).toBe(agreement);
});
