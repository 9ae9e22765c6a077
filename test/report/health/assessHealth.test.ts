import { beforeAll, describe, expect, test } from 'vitest';
import { assessHealth } from '../../../src/report/health/assessHealth.ts';
import { lastEnded, unpublishedText } from '../../../src/report/health/lastRuns.ts';
import type { ReportData, RunFacts } from '../../../src/report/reportData.ts';
import { sampleReport } from '../sampleReport.ts';

let calm: ReportData;
let troubled: ReportData;
const minute = 60_000;
/** When the sample report is made. */
const now = Date.UTC(2026, 3, 5, 2);

beforeAll(async () => {
  calm = await sampleReport();
  troubled = await sampleReport({ troubles: true });
});

const run = (exitCode: number | null, minutesAgo: number, more: Partial<RunFacts> = {}): RunFacts => {
  const startedAt = now - minutesAgo * minute;
  return {
    runId: String(minutesAgo),
    command: 'run',
    startedAt,
    finishedAt: exitCode === null ? null : startedAt + minute,
    exitCode,
    rows: 1,
    requests: 1,
    problems: [],
    phases: ['sync', 'build', 'reconcile', 'publish'],
    pipelines: ['main'],
    isWhole: true,
    isEverything: true,
    isPublished: exitCode !== null && [0, 3, 4].includes(exitCode),
    isLockedOut: false,
    isGoing: false,
    ...more,
  };
};
const withRuns = (runs: readonly RunFacts[], more: Partial<ReportData> = {}): ReportData => ({
  ...calm,
  pipelines: ['main'],
  runs,
  lastPublishedAt: runs.find(({ isPublished }) => isPublished)?.finishedAt ?? null,
  ...more,
});

test('where all is well there is nothing to say', () => {
  expect(assessHealth(calm)).toEqual({ findings: [], exitCode: 0, ageMs: 2 * 60 * minute - 642_000 });
});

test('a run that was killed while the clock was ahead is not the last one, once others have ended', () => {
  const runs = [run(0, 10), run(null, -2000)];
  expect(assessHealth(withRuns(runs)).findings).toEqual([]);
  expect(assessHealth(withRuns(runs.toReversed())).findings).toMatchObject([{ kind: 'failed' }]);
});

test('whether cron runs is asked only where no run began of late: one that fails each time was called', () => {
  const hours = 60 * minute;
  const asked = (runs: readonly RunFacts[]) => {
    const { findings } = assessHealth(withRuns(runs), 6 * hours);
    return findings.map(({ sentence }) => sentence.match(/at most 6 h is expected\.(.*)/)?.[1]).filter((rest) => rest);
  };
  const good = run(0, 3 * 24 * 60);
  expect(asked([run(75, 10), run(75, 70), good])).toEqual([' "firn run" publishes.']);
  expect(asked([run(75, 7 * 60), good])).toEqual([' Is cron running? "firn run" publishes.']);
  expect(asked([good])).toEqual([' Is cron running? "firn run" publishes.']);
});

test('before anything is published, a first run that is under way is not late as long as a version may be old', () => {
  const found = (minutes: number) => {
    const startedAt = new Date(now - minutes * minute).toISOString();
    const running = {
      runId: 'a',
      command: 'run',
      phase: 'build',
      pid: 1,
      since: new Date(now).toISOString(),
      startedAt,
    };
    return assessHealth({ ...withRuns([run(null, minutes, { isGoing: true })]), running }, 60 * minute).exitCode;
  };
  expect([found(59), found(61)]).toEqual([0, 75]);
  expect(assessHealth(withRuns([]), 60 * minute).exitCode).toBe(75);
});

test('where the record of runs cannot be read, it does not say that all is well', () => {
  expect(assessHealth({ ...calm, unreadable: 'Could not read it.' })).toMatchObject({
    findings: [{ kind: 'failed', sentence: expect.stringMatching(/^Could not read it.$/) }],
    exitCode: 73,
  });
});

test('every kind of trouble is told, and the worst is the exit code', () => {
  const { findings, exitCode } = assessHealth(troubled);
  expect(findings.map(({ kind, exitCode: code }) => [kind, code])).toEqual([
    ['failed', 1],
    ['failed', 77],
    ['failed', 77],
    ['mismatch', 3],
    ['mismatch', 3],
    ['mismatch', 3],
    ['quarantined', 4],
  ]);
  expect(exitCode).toBe(1);
  const sentences = findings.map(({ sentence }) => sentence).join('\n');
  expect(sentences).toContain(
    '3 settled buckets differ from what is served: txCount of 43112 by day. "firn report" shows them, "firn reconcile --explain 43112 txCount 2026-02-10" goes from one down to its blocks.',
  );
  expect(sentences).toContain('1 audit failed: assert_parent_hashes. "firn report" shows what each found.');
  expect(sentences).toContain(
    '2 relations (mart.fct_block, mart.metric) are held back since 2026-04-05 00:20:30 UTC by assert_parent_hashes: ',
  );
  expect(sentences).toContain('sync, 2026-04-05 00:30:00 UTC) did not end: it was killed');
  expect(sentences).toContain('2 records could not be read: 1 of data/chains (all): ');
  expect(sentences).toContain('1 of node/evm_blocks (chain_id=43112): gasUsed: expected a hex number');
  expect(sentences).toContain('"firn quarantine accept" leaves them unread.');
  expect(sentences).not.toContain('and more');
});

describe('the last run', () => {
  const other = { pipelines: ['other'] };
  const some = { isWhole: false };
  const lockedOut = { isLockedOut: true, problems: ['in use by process 7'] };
  test.each([
    ['ended well', [run(0, 10)], undefined, []],
    ['goes on', [run(null, 1, { isGoing: true }), run(0, 10)], undefined, []],
    ['was killed', [run(null, 1), run(0, 10)], undefined, [['failed', 1]]],
    [
      'was killed, and the one before it failed',
      [run(null, 1), run(77, 10)],
      undefined,
      [
        ['failed', 1],
        ['failed', 77],
      ],
    ],
    [
      'was killed while a longer one went on, which ended well',
      [run(null, 5), run(0, 10, { finishedAt: now - minute })],
      undefined,
      [['failed', 1]],
    ],
    [
      'of a part was locked out',
      [run(75, 5, { ...lockedOut, ...some, phases: ['sync'] }), run(0, 20)],
      undefined,
      [['stale', 75]],
    ],
    [
      'locked out others, and was killed then',
      [run(75, 5, lockedOut), run(75, 8, { ...lockedOut, ...some }), run(null, 10), run(0, 20)],
      undefined,
      [
        ['stale', 75],
        ['failed', 1],
      ],
    ],
    [
      'of another pipeline locked out others, and was killed then, and this one ended well since',
      [run(0, 1), run(75, 5, { ...lockedOut, ...other }), run(null, 10, other), run(0, 20, other)],
      undefined,
      [
        ['stale', 75],
        ['failed', 1],
      ],
    ],
    ['was killed before the last good one', [run(0, 1), run(null, 10)], undefined, []],
    ['was stopped by hand', [run(130, 5), run(0, 10)], undefined, []],
    ['was stopped by hand after one that failed', [run(143, 5), run(77, 10)], undefined, [['failed', 77]]],
    ['found a mismatch that is gone', [run(3, 5)], undefined, []],
    [
      'found a mismatch and published nothing',
      [run(3, 5, { isPublished: false }), run(0, 9)],
      undefined,
      [['mismatch', 3]],
    ],
    [
      'could not read records and published nothing',
      [run(4, 5, { isPublished: false }), run(0, 9)],
      undefined,
      [['quarantined', 4]],
    ],
    ['ended well and published nothing', [run(0, 5, { isPublished: false }), run(0, 9)], undefined, [['failed', 1]]],
    ['failed', [run(73, 5, { problems: ['disk full'] }), run(0, 10)], undefined, [['failed', 73]]],
    ['failed before the last good one', [run(0, 5), run(1, 10)], undefined, []],
    ['came to nothing for now', [run(75, 5), run(0, 10)], undefined, [['stale', 75]]],
    ['was locked out', [run(75, 5, lockedOut), run(0, 10)], undefined, [['stale', 75]]],
    [
      'was locked out by one that ended well since',
      [run(75, 5, lockedOut), run(0, 10, { finishedAt: now - minute })],
      undefined,
      [],
    ],
    [
      'was locked out, and the next one was stopped by hand',
      [run(130, 1), run(75, 5, lockedOut), run(0, 20)],
      undefined,
      [['stale', 75]],
    ],
    [
      'waited, and was locked out after another one had ended well',
      [run(75, 30, { ...lockedOut, finishedAt: now - 10 * minute }), run(0, 60, { finishedAt: now - 20 * minute })],
      undefined,
      [['stale', 75]],
    ],
    [
      'of a part was locked out, and one of a part ended well since',
      [run(0, 1, some), run(75, 5, { ...lockedOut, ...some })],
      undefined,
      [],
    ],
    [
      'of a part was locked out by one of a part that ended well since',
      [run(75, 5, { ...lockedOut, ...some }), run(0, 10, { ...some, finishedAt: now - minute })],
      undefined,
      [],
    ],
    [
      'was locked out after one that failed',
      [run(75, 5, lockedOut), run(77, 10)],
      undefined,
      [
        ['stale', 75],
        ['failed', 77],
      ],
    ],
    [
      'only read, after one that did not publish',
      [run(0, 2, { phases: ['sync'], isPublished: false }), run(3, 5, { isPublished: false })],
      undefined,
      [['mismatch', 3]],
    ],
    ['of another pipeline failed', [run(0, 5), run(77, 9, other)], undefined, [['failed', 77]]],
    [
      'of another pipeline failed, which goes well since',
      [run(0, 5), run(0, 7, other), run(77, 9, other)],
      undefined,
      [],
    ],
    ['of another pipeline was killed', [run(0, 5), run(null, 9, other), run(0, 20, other)], undefined, [['failed', 1]]],
    [
      'of another pipeline was killed, and the one before it failed',
      [run(0, 5), run(null, 9, other), run(77, 20, other)],
      undefined,
      [
        ['failed', 1],
        ['failed', 77],
      ],
    ],
    [
      'was locked out by one of another pipeline, which ended well since',
      [run(75, 5, { ...lockedOut, ...other }), run(0, 10, { finishedAt: now - minute })],
      undefined,
      [['stale', 75]],
    ],
    [
      'of another pipeline was locked out, however many of this one ended well since',
      [run(0, 1), run(0, 3), run(75, 5, { ...lockedOut, ...other }), run(0, 20, other)],
      undefined,
      [['stale', 75]],
    ],
    [
      'of another pipeline was locked out, and it ended well since',
      [run(0, 1), run(0, 3, other), run(75, 5, { ...lockedOut, ...other })],
      undefined,
      [],
    ],
    [
      'of all pipelines was locked out, and only one ended well since',
      [run(0, 1), run(75, 5, { ...lockedOut, pipelines: ['main', 'other'] })],
      undefined,
      [['stale', 75]],
    ],
    [
      'of all pipelines was locked out, of which those that there are ended well since',
      [run(0, 1), run(0, 3, other), run(75, 5, { ...lockedOut, pipelines: ['main', 'other', 'gone'] })],
      undefined,
      [],
    ],
    ['read a part alone, and the pipeline failed before', [run(0, 5, some), run(1, 9)], undefined, [['failed', 1]]],
    ['is recent enough', [run(0, 60)], 60 * minute, []],
    ['is too old', [run(0, 62)], 60 * minute, [['stale', 75]]],
    ['published what differs, and counts for its age', [run(3, 5), run(0, 600)], 60 * minute, []],
    [
      'published nothing, and does not count for its age',
      [run(3, 5, { isPublished: false }), run(0, 600)],
      60 * minute,
      [
        ['mismatch', 3],
        ['stale', 75],
      ],
    ],
    ['published while the clock was ahead, which is no age', [run(0, -2000)], 60 * minute, [['stale', 75]]],
    ['published a moment ahead of this clock', [run(0, -2)], 60 * minute, []],
    ['never was', [], 60 * minute, [['stale', 75]]],
  ] as const)('%s', (_, runs, maxAge, expected) => {
    const { findings } = assessHealth(withRuns(runs, { pipelines: ['main', 'other'] }), maxAge);
    expect(findings.map(({ kind, exitCode }) => [kind, exitCode])).toEqual(expected);
  });

  test('failed, after one that published while the clock was ahead: nothing was published since', () => {
    const data = withRuns([run(1, 5, { isPublished: false }), run(0, -2000)]);
    expect(assessHealth(data).findings.map(({ sentence }) => sentence)).toEqual([
      'The last run (run, 2026-04-05 01:55:00 UTC) ended with 1 (failed) and published nothing. A "firn run" that ends with 0 clears this.',
    ]);
    expect(unpublishedText(data)).toBe(
      'published since 2026-04-06 11:21:00 UTC, when a clock was ahead, though 1 run should have',
    );
  });

  test('more often than runs are reported: how many they were is not known', () => {
    const failed = (runs: number) => Array.from({ length: runs }, (_, i) => run(75, 5 + i, { isPublished: false }));
    const told = (runs: number) => unpublishedText(withRuns([...failed(runs), run(0, 120)]));
    expect([told(59), told(60)]).toEqual([
      'published for 1 h 59 min, though 59 runs should have',
      'published for 1 h 59 min, though at least 60 runs should have',
    ]);
  });

  test('says why, and that nothing was published', () => {
    for (const end of ['', '.']) {
      const problems = [`Nothing could be read: node/x (all): 401${end}`];
      const [finding] = assessHealth(withRuns([run(77, 5, { problems, isPublished: false }), run(0, 60)])).findings;
      expect(finding?.sentence).toBe(
        'The last run (run, 2026-04-05 01:55:00 UTC) ended with 77 (not authorised) and published nothing: Nothing could be read: node/x (all): 401. A "firn run" that ends with 0 clears this.',
      );
    }
  });
});

test('the run that ended last is not the one that it locked out', () => {
  const lockedOut = run(75, 5, { isLockedOut: true, finishedAt: now - 5 * minute });
  const long = run(0, 30, { finishedAt: now - minute });
  expect(lastEnded([run(null, 1, { isGoing: true }), lockedOut, long])).toBe(long);
  expect(lastEnded([lockedOut, run(0, 30)])).toBe(lockedOut);
  const other = { ...lockedOut, pipelines: ['other'] };
  expect(lastEnded([other, long])).toBe(other);
  const both = { ...lockedOut, pipelines: ['main', 'other'] };
  expect(lastEnded([both, long])).toBe(both);
  expect(lastEnded([])).toBeUndefined();
});

test('a relation that is held back is a mismatch, with its audit', () => {
  const heldBack = [{ relation: 'mart.fct_block', audit: 'assert_x', since: now - minute, reason: '2 rows' }];
  const { findings, exitCode } = assessHealth({ ...calm, unresolved: { ...calm.unresolved, heldBack } });
  expect(exitCode).toBe(3);
  expect(findings.map(({ sentence }) => sentence)).toEqual([
    '1 relation (mart.fct_block) is held back since 2026-04-05 01:59:00 UTC by assert_x: 2 rows. docs/troubleshooting.md says what helps ("Exit code 3 stays").',
  ]);
});

test('a file that is not loaded is told beside records that could not be read', () => {
  const { findings } = assessHealth({ ...troubled, unloaded: [{ file: 'prices.csv', problem: 'no header' }] });
  const sentences = findings.flatMap(({ kind, sentence }) => (kind === 'quarantined' ? sentence : []));
  expect(sentences).toEqual([
    expect.stringMatching(/^2 records could not be read/),
    'refs/prices.csv is not loaded: no header.',
  ]);
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
    {
      kind: 'stale',
      exitCode: 75,
      sentence: 'node/evm_blocks is 1,200 behind what there is to read: "firn run" reads on.',
    },
  ]);
  // That it failed says it already.
  const failing = streams.map((stream) => ({
    ...stream,
    partitions: stream.partitions.map((one) =>
      one.behind === 0 ? one : { ...one, outcome: 'failed', message: '503.' },
    ),
  }));
  expect(assessHealth({ ...calm, streams: failing }).findings).toMatchObject([{ kind: 'failed' }]);
});

test('streams that failed for one reason are one finding', () => {
  const message = 'GET http://d answered 503.';
  const streams = calm.streams.map((stream) => ({
    ...stream,
    partitions: stream.partitions.map((partition) => ({
      ...partition,
      ...(stream.stream.startsWith('node/') && { outcome: 'failed' as const, message }),
    })),
  }));
  const failed = streams.filter(({ stream }) => stream.startsWith('node/')).map(({ stream }) => stream);
  const { findings } = assessHealth({ ...calm, streams });
  expect(failed.length).toBeGreaterThan(1);
  expect(findings.length).toBe(1);
  for (const stream of failed) expect(findings[0]?.sentence).toContain(`${stream}: `);
  expect(findings[0]?.sentence).toMatch(
    /failed: GET http:\/\/d answered 503\. A "firn run" that reads them clears this\.$/,
  );
});

test.each([
  ['503 Service Unavailable', ['http://d answered 503 Service Unavailable.']],
  ['404 Not Found', ['GET http://d/0?a=b answered 404 Not Found.', 'GET http://d/1?a=b answered 404 Not Found.']],
])(
  'streams to whose paths a source answers %s alike are one finding where that is not about the path',
  (status, said) => {
    const streams = calm.streams.slice(0, 2).map((stream, i) => ({
      ...stream,
      partitions: stream.partitions.map((partition) => {
        const message = `GET http://d/${i}?a=b answered ${status}.`;
        return { ...partition, outcome: 'failed' as const, message };
      }),
    }));
    const { findings } = assessHealth({ ...calm, streams });
    expect(findings.map(({ sentence }) => sentence.match(/failed: (.*?\.) A /)?.[1])).toEqual(said);
  },
);

const hour = 60 * minute;
test.each([
  ['unavailable', hour, 'stale', 75],
  ['rate_limited', hour, 'stale', 75],
  ['unavailable', 7 * hour, 'failed', 75],
  ['unavailable', null, 'failed', 75],
  ['unauthorized', hour, 'failed', 77],
  ['contract', hour, 'failed', 4],
  ['not_found', hour, 'failed', 1],
  [null, hour, 'failed', 1],
])('a part that failed (%s), last read %d ms ago, is told as what it is', (code, ago, kind, exitCode) => {
  const lastRead = ago === null ? null : now - ago;
  const streams = calm.streams.map((stream, i) => ({
    ...stream,
    partitions: stream.partitions.map((partition) => ({
      ...partition,
      ...(i === 0 && { outcome: 'failed' as const, message: 'It failed.', code, lastRead, lastLoad: lastRead }),
    })),
  }));
  const found = assessHealth({ ...calm, streams }, 6 * hour);
  expect(found.findings).toMatchObject([{ kind, exitCode }]);
  expect(found.exitCode).toBe(exitCode);
  // Where nobody says how late is too late, it is late.
  if (exitCode === 75) expect(assessHealth({ ...calm, streams }).findings).toMatchObject([{ kind: 'stale', exitCode }]);
});

test.each([
  ['last read too long ago', 'unavailable', 7, 75],
  ['refused', 'unauthorized', 1, 77],
])('one of several parts that failed, %s, is more than late', (_, code, hoursAgo, exitCode) => {
  const streams = calm.streams.map((stream, i) => ({
    ...stream,
    partitions: stream.partitions.flatMap((partition) => {
      const failed = { ...partition, outcome: 'failed' as const, message: 'It failed.', lastLoad: null };
      const late = { ...failed, code: 'unavailable', lastRead: now - hour };
      return i > 0 ? partition : [late, { ...failed, code, lastRead: now - hoursAgo * hour }];
    }),
  }));
  expect(assessHealth({ ...calm, streams }, 6 * hour).findings).toMatchObject([{ kind: 'failed', exitCode }]);
});

test.each([
  ['was never read to its end', null],
  ['was last read to its end too long ago', now - 7 * hour],
])('a part of which rows came lately is late, though it %s', (_, lastRead) => {
  const streams = calm.streams.map((stream, i) => ({
    ...stream,
    partitions: stream.partitions.map((partition) => ({
      ...partition,
      ...(i === 0 && {
        outcome: 'failed',
        message: 'It failed.',
        code: 'unavailable',
        lastRead,
        lastLoad: now - hour,
      }),
    })),
  }));
  expect(assessHealth({ ...calm, streams }, 6 * hour).findings).toMatchObject([{ kind: 'stale', exitCode: 75 }]);
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
