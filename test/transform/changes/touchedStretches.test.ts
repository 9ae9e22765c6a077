import { expect, test } from 'vitest';
import { addTouched, touchedStretches } from '../../../src/transform/changes/touchedStretches.ts';

test('genesis alone touches nothing; with blocks that follow it within its stretch it is as any other', () => {
  const range = { chain: '1', from: '2026-01-05 07:00:00', until: '2026-01-05 09:00:00' };
  expect(touchedStretches([{ ...range, first: 0n, last: 0n }])).toEqual({ stretches: [], cumulativeFrom: new Map() });
  const { stretches, cumulativeFrom } = touchedStretches([{ ...range, first: 0n, last: 4n }]);
  expect(stretches).toHaveLength(1);
  // No block is left in these hours.
  expect(touchedStretches([{ ...range, first: 1n, last: 0n }])).toEqual({ stretches, cumulativeFrom });
  expect(cumulativeFrom).toEqual(new Map([['1', Date.parse('2026-01-05T00:00:00Z') / 1000]]));
});

test('the past of a chain reaches up to the first of its own hours', () => {
  const range = { first: 1n, last: 4n };
  const past = [{ chain: '1', from: '2026-01-01 00:00:00', until: '2026-01-02 00:00:00', first: 1n, last: 0n }];
  const ranges = [
    { ...range, chain: '2', from: '2026-01-03 00:00:00', until: '2026-01-03 01:00:00' },
    { ...range, chain: '1', from: '2026-01-29 00:00:00', until: '2026-01-29 01:00:00' },
    { ...range, chain: '1', from: '2026-01-20 00:00:00', until: '2026-01-20 01:00:00' },
  ];
  const { stretches, cumulativeFrom } = touchedStretches(ranges, past);
  const seconds = (text: string) => Date.parse(text) / 1000;
  expect(stretches).toEqual([
    { chain: '1', from: seconds('2026-01-01T00:00:00Z'), until: seconds('2026-01-20T01:00:00Z') },
    { chain: '1', from: seconds('2026-01-29T00:00:00Z'), until: seconds('2026-01-29T01:00:00Z') },
    { chain: '2', from: seconds('2026-01-03T00:00:00Z'), until: seconds('2026-01-03T01:00:00Z') },
  ]);
  expect(cumulativeFrom).toEqual(
    new Map([
      ['1', seconds('2026-01-01T00:00:00Z')],
      ['2', seconds('2026-01-03T00:00:00Z')],
    ]),
  );
});

test('what else is touched is added, and the past is cut by month', () => {
  const january = Date.parse('2026-01-01T00:00:00Z') / 1000;
  const day = 86_400;
  const past = [{ chain: '1', from: '2026-01-05 00:00:00', until: '2026-03-05 00:00:00', first: 1n, last: 0n }];
  const touched = touchedStretches([], past);
  const own = { chain: '1', from: january + 31 * day, until: january + 59 * day };
  expect(touched.stretches).toHaveLength(3);
  expect(touched.stretches[1]).toEqual(own);
  const before = { chain: '1', from: january - 60 * day, until: january - 59 * day };
  addTouched(touched, {
    stretches: [before],
    cumulativeFrom: new Map([
      ['1', before.from],
      ['2', own.from],
    ]),
  });
  expect(touched.stretches).toHaveLength(4);
  expect(touched.stretches).toEqual(expect.arrayContaining([before, own]));
  expect(touched.cumulativeFrom).toEqual(
    new Map([
      ['1', before.from],
      ['2', own.from],
    ]),
  );
});
