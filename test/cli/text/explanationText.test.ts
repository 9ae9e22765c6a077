import { expect, test } from 'vitest';
import { explanationText } from '../../../src/cli/text/explanationText.ts';
import { verdictFacts } from '../../../src/report/verdicts/verdictFacts.ts';
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
    gas_covered: true,
    blocks_covered_since_genesis: true,
    receipts_covered_since_genesis: false,
    traces_covered_since_genesis: false,
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
  variantSql: null,
  topSql: 'SELECT 3\nFROM x',
} as unknown as Explanation;

test('a number is told with both sides, what it was made of, and SQL to paste', () => {
  const lines = explanationText(explanation).split('\n');
  for (const line of [
    'Other readings: with_atomic (atomic ones too)',
    'recomputed  95',
    'served      96',
    'verdict     differs',
    'means       Everything the metric counts is held, the served value is settled, and the two are not the same number.',
    'blocks 957 to 1009 (53 held, from node, settled): blocks covered, receipts and logs covered, traces NOT covered, gas covered; since genesis: blocks covered, receipts and logs NOT covered, traces NOT covered; 95 transactions, 95 receipts, gas 1 by blocks and 1 by receipts',
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
  [
    'is not covered',
    { own: { numerator: null, denominator: null, covered: false } },
    [
      'recomputed  not covered: something this metric counts is missing here, or before it where it counts from genesis',
    ],
  ],
])('an hour that %s says so', (_, facts, told) => {
  const lines = explanationText({ ...explanation, interval: 'hour', ...facts }).split('\n');
  for (const line of told) expect(lines).toContain(line);
});

const judged = (verdict: Record<string, unknown>, more: Partial<Explanation> = {}) =>
  explanationText({ ...explanation, ...more, verdict: { ...explanation.verdict, ...verdict } }).split('\n');
const lineOf = (lines: readonly string[], name: string) => lines.find((line) => line.startsWith(name.padEnd(12)));

test.each<[Explanation['interval'], string, string]>([
  ['day', '2026-02-07 00:00:00', '2026-02-07'],
  ['hour', '2026-02-07 23:00:00', '2026-02-07'],
  ['month', '2026-02-01 00:00:00', '2026-02-01..2026-02-28'],
])('a %s that differs says what proves its blocks and reads the served value again', (interval, bucket, days) => {
  const todo = lineOf(judged({}, { interval, bucket }), 'to do');
  expect(todo).toContain('`firn verify --evidence`');
  expect(todo).toContain(`\`firn backfill metrics/chain_metrics --again ${days}\``);
});

test('any other verdict says what it means, and what to do', () => {
  const facts = verdictFacts('equal_rounded');
  const lines = judged({ verdict: 'equal_rounded' });
  expect(lineOf(lines, 'means')).toBe(`means       ${facts.meaning}`);
  expect(lineOf(lines, 'to do')).toBe(`to do       ${facts.todo}`);
  const long = judged({ verdict: 'own_incomplete' }, { own: { ...explanation.own, overflows: true } });
  expect(lineOf(long, 'to do')).toContain('Nothing.');
});

test('SQL that gives the number by another reading stands beside the rest, where there is any', () => {
  expect(judged({}, { variantSql: 'SELECT 4;\nSELECT 5' }).join('\n')).toContain(
    '  SELECT 2;\n  SELECT 4;\n  SELECT 5;\n  SELECT 3',
  );
});

test('a value that was kept again is no revision', () => {
  const at = (value_text: string | null, withdrawn: boolean | null, fetched_at: string) => ({
    value_text,
    withdrawn,
    fetched_at,
  });
  const revised = (served: Explanation['served']) => lineOf(judged({}, { served }), 'revisions');
  const twice = [at('96', null, 'Monday'), at('96', null, 'Tuesday')];
  expect(revised(twice)).toBeUndefined();
  const more = [at('97', null, 'Wednesday'), at('97', true, 'Thursday'), at('97', true, 'Friday')];
  expect(revised([...twice, ...more])).toBe('revisions   96 (Monday) -> 97 (Wednesday) -> nothing any more (Thursday)');
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
