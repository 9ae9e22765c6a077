import { expect, test } from 'vitest';
import { readRuns } from '../../src/report/readRuns.ts';
import { readStreams } from '../../src/report/readStreams.ts';

const reader = { query: async () => [] };
const unresolved = { records: 0, accepted: 0, streams: [], groups: [], heldBack: [] };

test.each([
  [['main', 'daily'], ['failed']],
  [['main'], []],
])('a failure stays as long as its pipeline is configured (%o)', async (pipelines, expected) => {
  const partitions = [
    { stream: 'data/chains', partition: 'all', pipeline: 'daily', outcome: 'failed', message: '503' },
  ];
  const file = {
    runId: 'r',
    command: 'run',
    startedAt: '2026-01-20T12:00:00.000Z',
    finishedAt: '2026-01-20T12:01:00.000Z',
    exitCode: 75,
    summary: { partitions, pipelines: ['daily'], isWhole: true },
    isGoing: false,
  };
  const runs = await readRuns(reader, [file], Date.parse('2026-01-20T13:00:00Z'));
  const streams = await readStreams(reader, new Map(), { runs, unresolved, times: new Map(), pipelines });
  expect(streams.flatMap((stream) => stream.partitions.map(({ outcome }) => outcome))).toEqual(expected);
});
