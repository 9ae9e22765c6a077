import { expect, test } from 'vitest';
import { runSummary } from '../../../src/cli/text/runSummary.ts';
import type { RunReport } from '../../../src/run/records/runReport.ts';

/** A run that compared and did nothing else. */
const compared = (differs: number, more: Partial<RunReport> = {}) =>
  runSummary({
    partitions: [],
    requests: {},
    stoppedBy: null,
    audits: [],
    heldBack: [],
    reconciliation: { counts: { equal: 7, differs }, matrix: [], differs, servedContradictions: 0 },
    dropped: [],
    waiting: [],
    published: null,
    unresolved: null,
    problems: [],
    exitCode: differs === 0 ? 0 : 3,
    seconds: 1,
    secondsByPhase: { reconcile: 1 },
    ...more,
  } as Partial<RunReport> as RunReport);

test('a run of which buckets differ says how to see them', () => {
  expect(compared(0)).not.toContain('firn status');
  expect(compared(1)).toContain('\n\n1 settled bucket differs from what is served: "firn status" gives the command');
  expect(compared(2)).toContain('\n\n2 settled buckets differ from what is served: "firn status" gives');
});

test('a run says of weeks that differ that they fail none', () => {
  const reconciliation = { counts: { equal: 7, differs: 3 }, matrix: [], differs: 1, servedContradictions: 0 };
  const told = '2 weeks that differ fail no run: served weeks are unreliable.';
  expect(compared(1, { reconciliation })).toMatch(new RegExp(`\\n\\n1 settled bucket differs .*\\n${told}\\n`));
  expect(compared(0, { reconciliation: { ...reconciliation, differs: 0 } })).toContain(
    '\n\n3 weeks that differ fail no run',
  );
  expect(compared(1)).not.toContain('week');
});

test('a run says what keep dropped, and what it waits for', () => {
  expect(compared(0)).not.toContain('keep');
  const dropped = [{ table: 'raw.node_evm_blocks', rows: 5 }];
  expect(compared(0, { dropped })).toMatch(/dropped 5 raw rows .* from 1 table\n\n/);
  const waits =
    /keep drops nothing of 43112, C\/block yet: blocks below others are still to be read\. .*"firn backfill" goes on\./;
  expect(compared(0, { waiting: ['43112', 'C/block'] })).toMatch(waits);
});

test('a run lists five groups of what is in quarantine, and how many more there are', () => {
  const at = Date.UTC(2026, 0);
  const group = { stream: 'data/chains', partition: 'all', records: 1, times: 1, firstAt: at, lastAt: at, example: '' };
  const told = (count: number) => {
    const groups = Array.from({ length: count }, (_, i) => ({ ...group, reason: `reason ${i}` }));
    return compared(0, { unresolved: { records: count, accepted: 0, streams: [], groups, heldBack: [] } })
      .split('\n')
      .filter((line) => line.startsWith('- '))
      .map((line) => line.replace(/.*: reason/, 'reason'));
  };
  const five = Array.from({ length: 5 }, (_, i) => `reason ${i}`);
  expect(told(5)).toEqual(five);
  expect(told(7)).toEqual([...five, '- and 2 more groups']);
});
