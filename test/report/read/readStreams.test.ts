import { expect, test } from 'vitest';
import { readRelations } from '../../../src/report/read/readRelations.ts';
import { readRuns } from '../../../src/report/read/readRuns.ts';
import { readStreams } from '../../../src/report/read/readStreams.ts';
import { temporaryWarehouse } from '../../load/temporaryWarehouse.ts';

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
  const streams = await readStreams(reader, new Map(), { now: 0, runs, unresolved, times: new Map(), pipelines });
  expect(streams.flatMap((stream) => stream.partitions.map(({ outcome }) => outcome))).toEqual(expected);
});

test('a bucket that the service dates into the future is not how far the stream is', async () => {
  const warehouse = await temporaryWarehouse([]);
  await warehouse.run(`
    CREATE TABLE raw.metrics_chain_metrics ("timestamp" TIMESTAMP);
    INSERT INTO raw.metrics_chain_metrics VALUES ('2026-01-20'), ('2026-01-21'), ('2099-01-01')`);
  const records = { ...unresolved, records: 1, streams: [{ stream: 'metrics/chain_metrics', records: 1 }] };
  const [stream] = await readStreams(warehouse, await readRelations(warehouse), {
    now: Date.parse('2026-01-21T06:00:00Z'),
    runs: [],
    unresolved: records,
    times: new Map([['metrics/chain_metrics', 'timestamp']]),
    pipelines: [],
  });
  expect(stream).toMatchObject({ rows: 3, newestRow: Date.parse('2026-01-21T00:00:00Z') });
});
