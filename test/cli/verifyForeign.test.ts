/** @module-tag long */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startDevnet } from 'firn-devnet';
import { expect, onTestFinished, test } from 'vitest';
import { project, sourcesOf } from './cliHarness.ts';

test('a Parquet file that firn did not make is to be removed; what systems keep beside files is no harm', async () => {
  const net = await startDevnet({ head: '3%' });
  onTestFinished(() => net.close());
  const pipelines = { main: { streams: { 'data/chains': {} } } };
  const { firn, warehouse } = await project({ sources: sourcesOf(net), pipelines }, { isBuilt: true });
  expect((await firn('sync')).code).toBe(0);
  expect((await firn('publish')).code).toBe(0);
  const add = (name: string) => writeFile(join(warehouse, 'lake', 'raw', name), 'x');
  for (const name of ['.DS_Store', '.nfs000000000001']) await add(name);
  expect((await firn('verify')).out).toMatch(/^Version \d+ is whole: /);
  await add('mine.parquet');
  const { code, out } = await firn('verify');
  expect(code).toBe(3);
  expect(out).toMatch(
    /^Version \d+ is damaged: .*^foreign +raw\/mine\.parquet .*^Remove these files: firn did not make them\./ms,
  );
});
