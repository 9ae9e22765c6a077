import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openWarehouse } from '../../src/library/openWarehouse.ts';
import { run } from '../../src/library/run.ts';
import { project } from '../cli/cliHarness.ts';
import { json, localServer } from '../extract/localServer.ts';

test('a program is refused a cluster, before it reads into a warehouse of this machine beside it', async () => {
  const cluster = {
    control: 'postgresql://127.0.0.1:1/x',
    stage: './stage',
    engine: { trino: 'http://127.0.0.1:1', catalog: 'lake' },
  };
  const pipelines = { main: { streams: { 'data/chains': {} } } };
  const sources = { data: { url: 'http://127.0.0.1:1' } };
  const { config, folder } = await project({ ...cluster, sources, pipelines }, { isNew: true });
  const refused = { code: 'usage', message: expect.stringContaining('this configuration names a cluster') };
  await expect(run({ config })).rejects.toMatchObject(refused);
  await expect(openWarehouse({ config })).rejects.toMatchObject(refused);
  expect(existsSync(join(folder, 'warehouse'))).toBe(false);
});

test('a stream and a phase may be named alone, and one that there is not is refused in words', async () => {
  const { url } = await localServer((response) => json(response, 200, { chains: [], validators: [] }));
  const pipelines = { main: { streams: { 'data/chains': {}, 'data/validators': {} } } };
  const { config } = await project({ sources: { data: { url } }, pipelines });
  const report = await run({ config, select: 'data/val*', pipelines: 'main', phases: 'sync' });
  expect(report.partitions.map(({ stream, outcome }) => [stream, outcome])).toEqual([['data/validators', 'done']]);
  await expect(run({ config, phases: 'sink' as 'sync' })).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringMatching(/^There is no phase "sink"\. There /),
  });
});

test("a program under Yarn's Plug'n'Play is refused before it reads anything", async () => {
  const versions = process.versions as Record<string, string | undefined>;
  onTestFinished(() => void delete versions['pnp']);
  versions['pnp'] = '3';
  await expect(run({ config: '/nowhere/firn.yaml' })).rejects.toMatchObject({
    code: 'failed',
    message: expect.stringContaining('nodeLinker: node-modules'),
  });
});
