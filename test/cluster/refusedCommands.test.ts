import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { project } from '../cli/cliHarness.ts';
import { withoutWaiting } from '../withoutWaiting.ts';

withoutWaiting();

const settings = {
  sources: { node: { url: 'http://127.0.0.1:1' } },
  pipelines: { p: { streams: { 'node/platform_blocks': {} } } },
  control: 'postgresql://firn@127.0.0.1:1/x',
  stage: 's',
  engine: { trino: 'http://127.0.0.1:1', catalog: 'lake' },
};

test.each([
  [['verify', '--evidence']],
  [['verify', '--against-source']],
  [['dictionary']],
  [['dbt-project', 'somewhere']],
  [['state', 'list']],
  [['plan']],
  [['publish', '--repair']],
])('%j takes no warehouse of this machine for the cluster', async (words) => {
  const self = await project(settings, { isNew: true });
  const said = await self.firn(...words);
  expect(said).toMatchObject({ code: 2, err: expect.stringMatching(/names a cluster/) });
  expect(existsSync(self.warehouse)).toBe(false);
});

test('what a cluster cannot give the configuration may not ask for', async () => {
  const self = await project({ ...settings, keep: '400d' }, { isNew: true });
  expect(await self.firn('status')).toMatchObject({
    code: 2,
    err: expect.stringMatching(/keep.*raw rows whatever their age/s),
  });
});

test('what a lake takes once is not read again', async () => {
  const streams = { 'metrics/chain_metrics': { chainIds: ['43114'], metrics: ['txCount'] } };
  const sources = { metrics: { url: 'http://127.0.0.1:1' } };
  const self = await project({ ...settings, sources, pipelines: { p: { streams } } }, { isNew: true });
  expect(await self.firn('backfill', '--again', '2026-01-01')).toMatchObject({
    code: 2,
    err: expect.stringMatching(/metrics\/chain_metrics: a cluster reads it once.*firn migrate --to machine/s),
  });
});

test.each([
  ['--max-time', '1h'],
  ['--max-units', '5'],
  ['--select', 'node/*'],
])('a run that applies what all workers read takes no %s', async (...limit) => {
  const self = await project(settings, { isNew: true });
  expect(await self.firn('run', ...limit)).toMatchObject({
    code: 2,
    err: expect.stringMatching(/read by firn worker.*sources\.\*\.quota/s),
  });
});

test.each([['--max-time', '1h'], ['--max-units', '5'], ['--wait', '1h'], ['--wait']])(
  'a backfill that all workers read takes no %s',
  async (...limit) => {
    const self = await project(settings, { isNew: true });
    expect(await self.firn('backfill', '--from', '0', ...limit)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/takes neither --max-time nor --max-units nor --wait.*sources\.\*\.quota/s),
    });
  },
);

test('what asks the cluster says that it does not answer', async () => {
  const self = await project(settings, { isNew: true });
  expect(await self.firn('status')).toMatchObject({ code: 75, err: expect.stringContaining('Trino at') });
});
