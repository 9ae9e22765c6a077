import { expect, test } from 'vitest';
import { runHere } from '../../cli/cliHarness.ts';
import { temporary } from '../../temporaryFolders.ts';

const parts = ['postgres', 'bucket', 'trino', 'worker'];

test('firn cluster tells of its parts where none of them runs, and ends nothing', async () => {
  const folder = await temporary();
  const status = await runHere(['--json', 'cluster', 'status', '--folder', folder]);
  expect(status.code).toBe(1);
  expect(status.json.parts.length).toBeGreaterThanOrEqual(parts.length);
  for (const part of status.json.parts) expect(part).toMatchObject({ pid: null, ready: false });
  const down = await runHere(['cluster', 'down', '--folder', folder]);
  expect(down).toMatchObject({ code: 0, out: 'No part of the cluster is running.\n' });
  expect((await runHere(['--json', 'cluster', 'down', '--folder', folder])).json).toEqual(status.json);
});
