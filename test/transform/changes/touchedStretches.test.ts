import { expect, test } from 'vitest';
import { touchedStretches } from '../../../src/transform/changes/touchedStretches.ts';

test('genesis alone touches nothing; with blocks that follow it within its stretch it is as any other', () => {
  const range = { chain: '1', from: '2026-01-05 07:00:00', until: '2026-01-05 09:00:00' };
  expect(touchedStretches([{ ...range, first: 0n, last: 0n }])).toEqual({ stretches: [], cumulativeFrom: new Map() });
  const { stretches, cumulativeFrom } = touchedStretches([{ ...range, first: 0n, last: 4n }]);
  expect(stretches).toHaveLength(1);
  expect(cumulativeFrom).toEqual(new Map([['1', Date.parse('2026-01-05T00:00:00Z') / 1000]]));
});
