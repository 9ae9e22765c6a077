import { describe, expect, test } from 'vitest';
import { catalogue } from '../../../pipelines/index.ts';
import { createRedactor } from '../../../src/core/text/redact.ts';
import { type LineageEvent, type LineageFacts, lineageEvents } from '../../../src/run/lineage/lineageEvents.ts';
import { modelLineage } from '../../../src/run/lineage/modelLineage.ts';
import { runEventErrors } from './runEventErrors.ts';

const models = await modelLineage();
const runId = '0b7a1c9e-6f0d-4a55-9f0f-3f1c1c1c1c1c';

const partition = (stream: string, more: object = {}) => ({
  stream,
  partition: 'chain_id=43114',
  outcome: 'done' as const,
  rows: 10,
  childRows: 0,
  quarantined: 0,
  bytes: 100,
  requests: 1,
  seconds: 1,
  ...more,
});
const built = (name: string, seconds = 0.5) => ({ name, kind: 'table' as const, rows: 7, seconds, hash: 'h' });

const facts = (report: Partial<LineageFacts['report']> = {}): LineageFacts => ({
  report: {
    runId,
    command: 'run',
    pipelines: ['primary'],
    startedAt: '2026-03-01T00:00:00.000Z',
    exitCode: 0,
    partitions: [partition('node/evm_blocks'), partition('data/chains', { outcome: 'not_offered' })],
    models: [built('mart.metric_daily'), built('mart.fct_block', 0)],
    problems: [],
    ...report,
  },
  endedAt: '2026-03-01T00:01:00.000Z',
  warehouse: '/srv/firn/warehouse',
  version: '1.2.3',
  streams: catalogue,
  origins: { node: 'http://127.0.0.1:9650' },
  models,
  hide: createRedactor(['hunter2hunter2']),
  newId: () => 'a2c3e4f5-0000-4000-8000-000000000001',
});

const names = (datasets: LineageEvent['inputs']) => datasets.map(({ name }) => name);

describe('the events of a run', () => {
  test('follow the published schema', () => {
    for (const exitCode of [0, 1, 3, 4, 73, 75, 77, 130, 143]) {
      const events = lineageEvents(facts({ exitCode }));
      expect(events.length).toBe(4);
      for (const event of events) expect(runEventErrors(event)).toEqual([]);
    }
  });

  /** The end of a run that failed, and of a model that was built: with every facet there is. */
  const [, failed, , model] = lineageEvents(facts({ exitCode: 1 })).map((event) => JSON.parse(JSON.stringify(event)));
  const [output] = model.outputs;

  test.each<[string, string, object]>([
    ['without a run', '', (({ run: _, ...rest }) => rest)(failed)],
    ['whose run has no UUID', '/run/runId', { ...failed, run: { runId: '17' } }],
    ['of a type that nobody knows', '/eventType', { ...failed, eventType: 'DONE' }],
    ['whose time is none', '/eventTime', { ...failed, eventTime: 'yesterday' }],
    ['whose producer is no address', '/producer', { ...failed, producer: 'firn' }],
    ['with a data set without a name', '/inputs/0', { ...failed, inputs: [{ namespace: 'a' }] }],
    [
      'with a facet that does not say whose it is',
      '/job/facets/mine',
      { ...failed, job: { ...failed.job, facets: { mine: {} } } },
    ],
    ...(
      [
        ['run', 'errorMessage', 'message', failed],
        ['job', 'jobType', 'processingType', failed],
        ['run', 'parent', 'job', model],
        ['job', 'sql', 'query', model],
        ['job', 'documentation', 'description', model],
      ] as const
    ).map(([of, facet, member, event]): [string, string, object] => {
      const { [member]: _, ...rest } = event[of].facets[facet];
      const harmed = { ...event, [of]: { ...event[of], facets: { ...event[of].facets, [facet]: rest } } };
      return [`whose ${facet} lacks its ${member}`, `/${of}/facets/${facet}`, harmed];
    }),
    [
      'with a column without a name',
      '/outputs/0/facets/schema/fields/0',
      { ...model, outputs: [{ ...output, facets: { schema: { ...output.facets.schema, fields: [{}] } } }] },
    ],
    [
      'with half a row',
      '/outputs/0/outputFacets/outputStatistics/rowCount',
      {
        ...model,
        outputs: [
          { ...output, outputFacets: { outputStatistics: { ...output.outputFacets.outputStatistics, rowCount: 0.5 } } },
        ],
      },
    ],
  ])('the schema refuses one %s', (_, path, harmed) => {
    expect(runEventErrors(harmed).map(({ instancePath }) => instancePath)).toEqual([path]);
  });

  test('go from the streams that were read to their tables, and from what a model reads to the model', () => {
    const [begun, ended, , model] = lineageEvents(facts());
    expect([begun?.eventType, begun?.eventTime, ended?.eventType, ended?.eventTime]).toEqual([
      'START',
      '2026-03-01T00:00:00.000Z',
      'COMPLETE',
      '2026-03-01T00:01:00.000Z',
    ]);
    expect(ended?.run.runId).toBe(runId);
    expect(ended?.job.name).toBe('run.primary');
    expect(ended?.inputs).toEqual([{ namespace: 'http://127.0.0.1:9650', name: 'node/evm_blocks' }]);
    expect(names(ended?.outputs ?? [])).toEqual(
      expect.arrayContaining(['raw.node_evm_blocks', 'raw.node_evm_transactions', 'raw.node_evm_logs']),
    );
    expect(names(model?.inputs ?? [])).toEqual(['mart.metric']);
    expect(names(model?.outputs ?? [])).toEqual(['mart.metric_daily']);
    expect(JSON.stringify(model?.outputs)).toContain('"rowCount":7');
    expect(JSON.stringify(model?.outputs)).toContain('"name":"tx_count"');
    expect(model?.run.facets?.['parent']).toMatchObject({ run: { runId }, job: { name: 'run.primary' } });
    expect(model?.job.facets['sql']).toMatchObject({ query: expect.stringContaining('FROM mart.metric') });
  });

  test.each([
    [0, 'COMPLETE'],
    [3, 'COMPLETE'],
    [4, 'COMPLETE'],
    [1, 'FAIL'],
    [75, 'FAIL'],
    [130, 'ABORT'],
    [143, 'ABORT'],
  ])('exit code %d is %s', (exitCode, type) => {
    expect(lineageEvents(facts({ exitCode }))[1]?.eventType).toBe(type);
  });

  test('of a run that failed say why, without a secret', () => {
    const message = 'GET https://user:pw@data.example/v1?key=abc answered 401 to hunter2hunter2.';
    const [begun, failed] = lineageEvents(
      facts({ exitCode: 77, models: [], partitions: [partition('data/chains', { outcome: 'failed', message })] }),
    );
    const text = JSON.stringify(failed);
    expect(text).toContain('answered 401');
    expect(text).not.toMatch(/hunter2|user:pw|key=abc/);
    expect(begun?.run.facets).toEqual({});
  });

  test('of a run that failed name the partition once', () => {
    const message = 'data/chains (chain_id=43114): the source ends at 4';
    const [, failed] = lineageEvents(
      facts({ exitCode: 1, partitions: [partition('data/chains', { outcome: 'failed', message })] }),
    );
    expect(failed?.run.facets).toMatchObject({ errorMessage: { message } });
  });
});

test('every model reads something that is there', () => {
  const known = new Set([...models.map(({ name }) => name)]);
  expect(models.find(({ name }) => name === 'mart.metric_daily')?.references).toEqual(['mart.metric']);
  for (const { name, references } of models) {
    expect(references.length, name).toBeGreaterThan(0);
    for (const read of references)
      if (/^(mart|staging)\./.test(read) && read !== 'mart.reconciliation')
        expect(known.has(read), `${name}: ${read}`).toBe(true);
  }
});
