import { expect, test } from 'vitest';
import { brokenLine, partitionLines, reasonsOf, runLine } from '../../../src/cli/text/runLine.ts';
import type { PartitionResult } from '../../../src/run/read/syncOptions.ts';
import type { RunReport } from '../../../src/run/records/runReport.ts';

const addresses = Array.from({ length: 5000 }, (_, n) => ({ stream: 'data/utxos', partition: `address=a${n}` }));
const blocks = { stream: 'node/evm_blocks', partition: 'chain_id=1', text: 'It is down.' };

test('of thousands of partitions that fail alike a line names a few, and says how many there are', () => {
  const [line, ...others] = partitionLines([...addresses.map((one) => ({ ...one, text: 'It is down.' })), blocks]);
  expect(line).toMatch(
    /^data\/utxos \(address=a0; .*address=a9; and 4,990 more\), node\/evm_blocks \(chain_id=1\): It is down\.$/,
  );
  expect(others).toEqual([]);
});

test('what many streams fail with names one partition of each', () => {
  const streams = ['data/utxos', 'data/chains', 'data/validators', 'data/delegators'];
  const said = streams.flatMap((stream) => [1, 2].map((n) => ({ stream, partition: `n=${n}`, text: 'It is down.' })));
  expect(partitionLines(said)).toEqual([
    `${streams.map((name) => `${name} (n=1; and 1 more)`).join(', ')}: It is down.`,
  ]);
});

test('of thousands that fail for reasons of their own some have a line, and other streams theirs', () => {
  const lines = partitionLines([...addresses.map((one) => ({ ...one, text: `No ${one.partition}.` })), blocks]);
  expect(lines).toHaveLength(12);
  expect(lines.at(9)).toBe('data/utxos (address=a9): No address=a9.');
  expect(lines.slice(-2)).toEqual([
    'node/evm_blocks (chain_id=1): It is down.',
    'and 4,990 more: --json names them all',
  ]);
});

test('why a run did not end with 0 names a partition that failed once', () => {
  const of = { stream: 'node/x', partition: 'all', outcome: 'failed' } as PartitionResult;
  const messages = ['it ends at 4', 'node/x (all): it ends at 4', 'node/x: it ends at 4'];
  const partitions = messages.map((message) => ({ ...of, message }));
  const report = { problems: [], audits: [], heldBack: [], reconciliation: null, unresolved: null, partitions };
  expect(reasonsOf(report)).toEqual(messages.map(() => 'node/x (all): it ends at 4'));
});

test('why a run did not end with 0 names what is held back, and audits that warn', () => {
  const nothing = { problems: [], partitions: [], audits: [], heldBack: [], reconciliation: null, unresolved: null };
  expect(reasonsOf(nothing)).toEqual([]);
  const reconciliation = { counts: {}, matrix: [], differs: 1, servedContradictions: 0 };
  expect(reasonsOf({ ...nothing, reconciliation })).toEqual(['1 settled bucket differs.']);
  const found = {
    description: '',
    file: '',
    claim: '',
    failedRows: 2,
    example: '',
    problem: null,
    protects: [],
    seconds: 0,
  };
  const heldBack = ['mart.metric', 'mart.fct_block'].map((relation) => ({
    relation,
    audit: 'assert_heights_without_gap',
    since: '2026-01-20 00:00:00',
    reason: '',
  }));
  const audits = [
    { ...found, name: 'assert_heights_without_gap', severity: 'blocks' as const },
    { ...found, name: 'assert_sources_agree', severity: 'warns' as const },
  ];
  expect(reasonsOf({ ...nothing, audits, heldBack })).toEqual([
    '2 relations are held back by assert_heights_without_gap.',
    '1 audit failed: assert_sources_agree.',
  ]);
});

test('a line of a log gives the first reason, how many more there are, and what ended the reading', () => {
  const failed = ['a.', 'b.', 'c.'].map((message) => ({
    ...{ stream: 'node/x', partition: 'all', outcome: 'failed', rows: 1, childRows: 0, quarantined: 0, requests: 2 },
    message,
  }));
  const report = {
    ...{ command: 'run', exitCode: 1, partitions: failed, audits: [], heldBack: [], reconciliation: null },
    ...{ published: null, unresolved: null, stoppedBy: '--max-time', seconds: 1.25, problems: [], requests: {} },
  } as unknown as RunReport;
  const [, ...words] = runLine(report).split(' ');
  expect(words.join(' ')).toBe(
    'firn run exit=1 partitions=3 failed=3 rows=3 child_rows=0 quarantined=0 requests=0 audits_failed=0 held_back=0 stopped_by=--max-time seconds=1.3 reason="node/x (all): a." more=2',
  );
  expect(runLine({ ...report, exitCode: 0 })).not.toContain('reason=');
});

test('a reason of several lines is one in a log', () => {
  expect(brokenLine('run', 1, 'It says:\n  "no"')).toMatch(/ firn run exit=1 reason="It says: \\"no\\""$/);
});
