import { expect, test } from 'vitest';
import { streamHealth } from '../../../src/report/health/streamHealth.ts';
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

/** A file of a run of one minute. @param partitions by stream, or stream and partition: what became of it */
function fileOf(minute: number, pipelines: readonly string[], partitions: object, summary: object = {}) {
  const told = Object.entries(partitions).map(([name, outcome]) => {
    const [stream, partition = 'all'] = name.split(' ');
    return { stream, partition, pipeline: pipelines[0], outcome: 'done', ...outcome };
  });
  const time = (second: number) => new Date(Date.UTC(2026, 0, 20, 12, minute, second)).toISOString();
  return {
    ...{ runId: `r${minute}`, command: 'run', startedAt: time(0), finishedAt: time(30), exitCode: 0, isGoing: false },
    summary: { partitions: told, pipelines, isWhole: true, isEverything: false, ...summary },
  };
}

const failed = { outcome: 'failed', code: 'unavailable', message: '503' };
const behind = { behind: 74 };

test.each<[string, object, ReturnType<typeof fileOf>, string[]]>([
  ['failed, and its stream was removed', { 'a/removed': failed }, fileOf(2, ['main'], { 'a/kept': {} }), []],
  ['is behind, and its stream was removed', { 'a/removed': behind }, fileOf(2, ['main'], { 'a/kept': {} }), []],
  [
    'is behind, and was removed',
    { 'a/kept one': behind },
    fileOf(2, ['main'], { 'a/kept two': {} }, { isEverything: true }),
    [],
  ],
  [
    'failed, and a later run selected another stream',
    { 'a/removed': failed },
    fileOf(2, ['main'], { 'a/kept': {} }, { isWhole: false }),
    ['a/removed all failed'],
  ],
  [
    'is behind, and a later run selected another stream',
    { 'a/removed': behind },
    fileOf(2, ['main'], { 'a/kept': {} }, { isWhole: false }),
    ['a/removed all 74'],
  ],
  [
    'failed, and a later run was of another pipeline',
    { 'a/removed': failed },
    fileOf(2, ['daily'], { 'a/kept': {} }),
    ['a/removed all failed'],
  ],
  [
    'failed, and a later run came to nothing',
    { 'a/removed': failed },
    fileOf(2, ['main'], {}),
    ['a/removed all failed'],
  ],
  ['is behind still', { 'a/kept': behind }, fileOf(2, ['main'], { 'a/kept': behind }), ['a/kept all 74']],
])('what status tells of a partition that %s', async (_, first, later, expected) => {
  const runs = await readRuns(reader, [later, fileOf(1, ['main'], first)], Date.parse('2026-01-20T13:00:00Z'));
  const pipelines = ['main', 'daily'];
  const streams = await readStreams(reader, new Map(), { now: 0, runs, unresolved, times: new Map(), pipelines });
  const bad = streams.flatMap(({ stream, partitions }) =>
    partitions.flatMap(({ partition, outcome, behind }) =>
      outcome === 'failed' || behind ? [`${stream} ${partition} ${behind ?? outcome}`] : [],
    ),
  );
  expect(bad).toEqual(expected);
});

test('a run that does not come to a partition tells when it was last read, but for what was dropped since', async () => {
  const lastRead = '2026-01-20T11:00:00.000Z';
  const outcomes = { one: { ...failed, lastRead }, two: { ...behind, lastRead }, three: failed, four: {} };
  const named = Object.entries(outcomes).map(([name, outcome]) => [`a/kept ${name}`, outcome]);
  const file = fileOf(1, ['main'], Object.fromEntries(named));
  const runs = await readRuns(reader, [file], Date.parse('2026-01-20T13:00:00Z'));
  const end = Date.parse(file.finishedAt);
  const dropped = new Map([
    ['a/kept two', Date.parse(lastRead)],
    ['a/kept three', end],
    ['a/kept four', end],
  ]);
  const asked = { now: 0, runs, dropped, unresolved, times: new Map(), pipelines: ['main'] };
  const [stream] = await readStreams(reader, new Map(), asked);
  expect(stream?.partitions).toMatchObject([
    { partition: 'one', lastRead: Date.parse(lastRead) },
    { partition: 'two', lastRead: null },
    { partition: 'three', outcome: 'failed' },
    { partition: 'four', outcome: 'dropped', lastRead: null },
  ]);
});

test.each([
  ['failed', failed, 'failed'],
  ['was read', {}, 'stopped'],
])(
  'a stop before a partition that %s says nothing of its failure, and of nothing else',
  async (_, before, expected) => {
    const files = [
      fileOf(2, ['main'], { 'a/kept': { outcome: 'stopped' } }),
      fileOf(1, ['main'], { 'a/kept': before }),
    ];
    const runs = await readRuns(reader, files, Date.parse('2026-01-20T13:00:00Z'));
    const asked = { now: 0, runs, unresolved, times: new Map(), pipelines: ['main'] };
    expect(await readStreams(reader, new Map(), asked)).toMatchObject([{ partitions: [{ outcome: expected }] }]);
  },
);

test.each([
  ['its oldest partition', { ...failed, lastRead: '2026-01-20T11:00:00.000Z' }, Date.parse('2026-01-20T11:00:00Z')],
  ['all that its source ever offered', { outcome: 'not_offered' }, Date.parse('2026-01-20T12:01:30Z')],
  [
    'a partition that its source offers no more',
    { outcome: 'not_offered', lastRead: '2026-01-20T11:00:00.000Z' },
    Date.parse('2026-01-20T11:00:00Z'),
  ],
  ['nothing, where a partition never was', failed, null],
])('a stream was last read when %s was, also while records of it wait', async (_, other, expected) => {
  const files = [
    fileOf(1, ['main'], { 'a/kept one': {}, 'a/kept two': other }),
    fileOf(0, ['main'], { 'a/kept removed': {} }),
  ];
  const runs = await readRuns(reader, files, Date.parse('2026-01-20T13:00:00Z'));
  const waiting = { ...unresolved, records: 1, streams: [{ stream: 'a/kept', records: 1 }] };
  const asked = { now: 0, runs, unresolved: waiting, times: new Map(), pipelines: ['main'] };
  expect(await readStreams(reader, new Map(), asked)).toMatchObject([{ lastRead: expected, quarantined: 1 }]);
});

test('a failure that a run of everything left behind stays there, whatever was run between', async () => {
  const files = [
    fileOf(3, ['main'], { 'a/kept': {} }, { isEverything: true }),
    fileOf(2, ['main'], { 'a/kept': {} }),
    fileOf(1, ['daily'], { 'a/removed': failed }),
  ];
  const runs = await readRuns(reader, files, Date.parse('2026-01-20T13:00:00Z'));
  const asked = { now: 0, runs, unresolved, times: new Map(), pipelines: ['main', 'daily'] };
  expect(await readStreams(reader, new Map(), asked)).toMatchObject([{ stream: 'a/kept' }]);
});

test('failed partitions that a file does not name are counted as long as the stream fails', async () => {
  const named = { 'a/kept one': failed, 'a/kept two': failed };
  const unnamedFailures = { 'a/kept': 1000 };
  const files = [
    fileOf(2, ['main'], { 'b/other': {} }, { isWhole: false }),
    fileOf(1, ['main'], named, { unnamedFailures }),
  ];
  const failures = async () => {
    const runs = await readRuns(reader, files, Date.parse('2026-01-20T13:00:00Z'));
    const asked = { now: 0, runs, unresolved, times: new Map(), pipelines: ['main'] };
    const [stream] = await readStreams(reader, new Map(), asked);
    return stream && streamHealth(stream).failed;
  };
  expect(await failures()).toBe(1002);
  files.unshift(fileOf(3, ['main'], { 'a/kept one': failed, 'a/kept two': {} }));
  expect(await failures()).toBe(1);
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
