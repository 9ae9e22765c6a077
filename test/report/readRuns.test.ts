import { expect, test } from 'vitest';
import { readRuns } from '../../src/report/readRuns.ts';

test('a run that a clock set ahead told of comes after those that are sure to be newer', async () => {
  const file = (runId: string, startedAt: string) => ({
    runId,
    command: 'sync',
    startedAt,
    finishedAt: startedAt,
    exitCode: 0,
    summary: {},
    isGoing: false,
  });
  const files = [
    file('ahead', '2026-01-22T12:00:00.000Z'),
    file('older', '2026-01-20T11:00:00.000Z'),
    file('newest', '2026-01-20T12:00:00.000Z'),
  ];
  const runs = await readRuns({ query: async () => [] }, files, Date.parse('2026-01-20T12:30:00Z'));
  expect(runs.map(({ runId }) => runId)).toEqual(['newest', 'older', 'ahead']);
});
