import { expect, test } from 'vitest';
import { ownText, verdictText } from '../../../src/report/browser/pointText.ts';
import type { PlottedPoint } from '../../../src/report/reportData.ts';

const point: PlottedPoint = {
  bucket: 0,
  firstBlock: 1,
  lastBlock: 2,
  own: '1234',
  covered: true,
  served: '1234',
  verdict: 'equal',
};

test.each<[Partial<PlottedPoint>, string, string]>([
  [{}, '1,234', 'equal'],
  [{ own: null, served: null }, 'no value', 'equal'],
  [{ own: null, covered: false, verdict: 'own_incomplete' }, 'not covered', 'not covered (own_incomplete)'],
  [{ own: null, verdict: 'own_incomplete' }, 'more than 38 digits', 'more than 38 digits (own_incomplete)'],
  [{ verdict: null }, '1,234', 'not compared'],
])('%o: %s, %s', (facts, own, verdict) => {
  const told = { ...point, ...facts };
  expect([ownText(told), verdictText(told)]).toEqual([own, verdict]);
});
