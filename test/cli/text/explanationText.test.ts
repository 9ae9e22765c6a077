import { expect, test } from 'vitest';
import { explanationText } from '../../../src/cli/text/explanationText.ts';
import type { Explanation } from '../../../src/transform/reconcile/explain.ts';

const explanation = {
  chain: '43112',
  metric: 'txCount',
  interval: 'day',
  bucket: '2026-02-07 00:00:00',
  definition: 'txCount: number of transactions.',
  variants: { with_atomic: 'atomic ones too' },
  own: { numerator: '95', denominator: '1', covered: true },
  verdict: { verdict: 'differs', served_text: '96', difference_text: '1', variant: null, scale: null, note: null },
  coverage: {
    first_block: '957',
    last_block: '1009',
    blocks: '53',
    source: 'node',
    state: 'settled',
    blocks_covered: true,
    receipts_covered: true,
    traces_covered: false,
    transactions: '95',
    receipts: '95',
    header_gas: '1',
    receipt_gas: '1',
  },
  knownEmpty: false,
  served: [{ value_text: '96', fetched_at: '2026-03-01' }],
  top: [{ number: 960, tx_count: 7 }],
  bothSql: 'SELECT 1',
  ownSql: 'SELECT 2',
  topSql: 'SELECT 3\nFROM x',
} as unknown as Explanation;

test('a number is told with both sides, what it was made of, and SQL to paste', () => {
  const lines = explanationText(explanation).split('\n');
  for (const line of [
    'Other readings: with_atomic (atomic ones too)',
    'recomputed  95',
    'served      96',
    'verdict     differs',
    'blocks 957 to 1009 (53 held, from node, settled): blocks covered, receipts and logs covered, traces NOT covered; 95 transactions, 95 receipts, gas 1 by headers and 1 by receipts',
    '  SELECT 1;',
    '  SELECT 3',
    '  FROM x;',
  ])
    expect(lines).toContain(line);
});

test.each<[string, Partial<Explanation>, string[]]>([
  [
    'is known to hold no block',
    { own: null, coverage: null, knownEmpty: true },
    [
      'recomputed  0: no block lies in this hour, and the blocks around it follow each other',
      'No block, and none is missing.',
    ],
  ],
  [
    'is not held',
    { own: null, coverage: null },
    ['recomputed  nothing: this bucket holds no block of the warehouse', 'Nothing of this bucket is held.'],
  ],
  [
    'has a value of more than 38 digits',
    { own: { numerator: null, denominator: '1', covered: true, overflows: true } },
    ['recomputed  more than 38 digits: not compared'],
  ],
])('an hour that %s says so', (_, facts, told) => {
  const lines = explanationText({ ...explanation, interval: 'hour', ...facts }).split('\n');
  for (const line of told) expect(lines).toContain(line);
});

test('null that is served is told from nothing', () => {
  const verdict = { ...explanation.verdict, verdict: 'served_empty', served_text: null };
  const servedLine = (served: Explanation['served']) =>
    explanationText({ ...explanation, verdict, served } as Explanation)
      .split('\n')
      .find((line) => line.startsWith('served'));
  expect(servedLine([{ value_text: null, fetched_at: '2026-03-01' }])).toBe('served      null');
  expect(servedLine([])).toBe('served      nothing');
});

test('a bucket without a block names no source, and the same SQL stands there once', () => {
  const coverage = { ...explanation.coverage, first_block: null, source: null, blocks: '0', state: 'closed' };
  const text = explanationText({ ...explanation, coverage, ownSql: 'SELECT 1' });
  expect(text).toContain('\nno block (closed): blocks covered');
  expect(text.match(/SELECT 1;/g)).toHaveLength(1);
});
