import { beforeAll, describe, expect, test } from 'vitest';
import { assessHealth } from '../../src/report/assessHealth.ts';
import type { ReportData, RunFacts } from '../../src/report/reportData.ts';
import { sampleReport } from './sampleReport.ts';

let calm: ReportData;
let troubled: ReportData;
const minute = 60_000;
/** When the sample report is made. */
const now = Date.UTC(2026, 3, 5, 2);

beforeAll(async () => {
  calm = await sampleReport();
  troubled = await sampleReport({ troubles: true });
});

const run = (exitCode: number | null, minutesAgo: number, problems: string[] = []): RunFacts => {
  const startedAt = now - minutesAgo * minute;
  const finishedAt = exitCode === null ? null : startedAt + minute;
  return { runId: String(minutesAgo), command: 'run', startedAt, finishedAt, exitCode, rows: 1, requests: 1, problems };
};

test('where all is well there is nothing to say', () => {
  expect(assessHealth(calm)).toEqual({ findings: [], exitCode: 0, ageMs: 2 * 60 * minute - 642_000 });
});

test('every kind of trouble is told, and the worst is the exit code', () => {
  const { findings, exitCode } = assessHealth(troubled);
  expect(findings.map(({ kind, exitCode: code }) => [kind, code])).toEqual([
    ['failed', 77],
    ['failed', 1],
    ['mismatch', 3],
    ['mismatch', 3],
    ['mismatch', 3],
    ['quarantined', 4],
  ]);
  expect(exitCode).toBe(1);
  const sentences = findings.map(({ sentence }) => sentence).join('\n');
  expect(sentences).toContain('3 settled buckets differ from what is served: txCount of 43112 by day.');
  expect(sentences).toContain('1 audit failed: assert_parent_hashes.');
  expect(sentences).toContain(
    '2 relations (mart.fct_block, mart.metric) are held back at the last good version since 2026-04-05 00:20 UTC by assert_parent_hashes: ',
  );
  expect(sentences).toContain('2 records could not be read');
});

describe('the last run', () => {
  test.each([
    ['ended well', [run(0, 10)], undefined, []],
    ['is still running', [run(null, 1), run(0, 10)], undefined, []],
    ['was stopped by hand', [run(130, 5), run(0, 10)], undefined, []],
    ['found a mismatch that is gone', [run(3, 5)], undefined, []],
    ['failed', [run(73, 5, ['disk full']), run(0, 10)], undefined, [['failed', 73]]],
    ['failed before the last good one', [run(0, 5), run(1, 10)], undefined, []],
    ['came to nothing for now', [run(75, 5), run(0, 10)], undefined, [['stale', 75]]],
    ['is recent enough', [run(0, 60)], 60 * minute, []],
    ['is too old', [run(0, 62)], 60 * minute, [['stale', 75]]],
    ['published what differs, and counts for its age', [run(3, 5), run(0, 600)], 60 * minute, []],
    ['never was', [], 60 * minute, [['stale', 75]]],
  ] as const)('%s', (_, runs, maxAge, expected) => {
    const { findings } = assessHealth({ ...calm, runs }, maxAge);
    expect(findings.map(({ kind, exitCode }) => [kind, exitCode])).toEqual(expected);
  });
});

test("a stream behind its source's head is stale", () => {
  const streams = calm.streams.map((stream) => ({
    ...stream,
    partitions: stream.partitions.map((partition) => ({
      ...partition,
      behind: stream.stream === 'node/evm_blocks' ? 1200 : 0,
    })),
  }));
  expect(assessHealth({ ...calm, streams }).findings).toEqual([
    { kind: 'stale', exitCode: 75, sentence: "node/evm_blocks is 1,200 positions behind the source's head." },
  ]);
});

test('a served week that differs raises no alarm', () => {
  const verdicts = calm.verdicts.map((count) => (count.interval === 'week' ? { ...count, verdict: 'differs' } : count));
  expect(assessHealth({ ...calm, verdicts }).exitCode).toBe(0);
});

test('a reference file that is not loaded is told by name', () => {
  const unloaded = [{ file: 'prices.csv', problem: 'CSV Error on Line: 3' }];
  expect(assessHealth({ ...calm, unloaded }).findings).toEqual([
    { kind: 'quarantined', sentence: 'refs/prices.csv is not loaded: CSV Error on Line: 3.', exitCode: 4 },
  ]);
});
