import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openWarehouse } from '../../src/library/openWarehouse.ts';
import { run } from '../../src/library/run.ts';
import { project } from '../cli/cliHarness.ts';

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
