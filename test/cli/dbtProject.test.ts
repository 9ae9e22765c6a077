/** @module-tag long */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runFirn } from './firnProcess.ts';
import { publishedSample } from './publishedSample.ts';

test('dbt-project says what it wrote, what has no test, and what to do where the folder is none', async () => {
  const { firn, folder } = await publishedSample();
  const { code, out } = await firn('dbt-project', join(folder, 'my dbt'));
  expect(code).toBe(0);
  expect(out).toMatch(/: \d+ source tables, \d+ tests, 10 exposures\.\n/);
  expect(out).toContain('Not tested, because what they read is not published: assert_');
  expect(out).toContain(`cd '${join(folder, 'my dbt')}' && dbt build`);
  expect((await firn('--json', 'dbt-project', join(folder, 'my dbt'))).json).toMatchObject({
    folder: join(folder, 'my dbt'),
    kept: expect.arrayContaining(['profiles.yml']),
  });
  expect(await firn('dbt-project', join(folder, 'firn.yaml'))).toMatchObject({
    code: 73,
    err: expect.stringContaining('dbt project'),
  });
});

test("a disk that is full leaves no part of a file, which the next call would take for somebody else's", async () => {
  const { firn, folder, config } = await publishedSample();
  const project = join(folder, 'dbt');
  expect(await runFirn(['--config', config, 'dbt-project', project], { fileBlocks: 0 })).toMatchObject({
    code: 73,
    stderr: expect.stringContaining(`Could not write the dbt project ${project}: the disk is full. Free some space`),
  });
  expect((await firn('--json', 'dbt-project', project)).json).toMatchObject({ kept: [] });
});
