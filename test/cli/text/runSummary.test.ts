import { expect, test } from 'vitest';
import { runSummary } from '../../../src/cli/text/runSummary.ts';
import type { RunReport } from '../../../src/run/records/runReport.ts';

/** A run that compared and did nothing else. */
const compared = (differs: number) =>
  runSummary({
    partitions: [],
    requests: {},
    stoppedBy: null,
    audits: [],
    heldBack: [],
    reconciliation: { counts: { equal: 7, differs }, matrix: [], differs, servedContradictions: 0 },
    dropped: [],
    published: null,
    unresolved: null,
    problems: [],
    exitCode: differs === 0 ? 0 : 3,
    seconds: 1,
    secondsByPhase: { reconcile: 1 },
  } as Partial<RunReport> as RunReport);

test('a run of which buckets differ says how to see them', () => {
  expect(compared(0)).not.toContain('firn status');
  expect(compared(1)).toContain('\n\n1 settled bucket differs from what is served: "firn status" gives the command');
  expect(compared(2)).toContain('\n\n2 settled buckets differ from what is served: "firn status" gives');
});
