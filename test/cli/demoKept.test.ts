import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { temporary } from '../temporaryFolders.ts';

vi.mock('../../src/cli/runs/runSchedule.ts', () => ({ runSchedule: vi.fn(async () => 0) }));

test('a demo that is kept runs by its own configuration, whatever lies where it was called', {
  tags: 'long',
  timeout: 900_000,
}, async () => {
  // Files share the modules of their worker: another one may have loaded the command with the schedule that never ends.
  vi.resetModules();
  const { runHere } = await import('./cliHarness.ts');
  const { runSchedule } = await import('../../src/cli/runs/runSchedule.ts');
  const folder = join(await temporary(), 'demo');
  expect((await runHere(['demo', '--keep', '--folder', folder])).code).toBe(0);
  const { global } = vi.mocked(runSchedule).mock.lastCall?.[0] ?? {};
  expect(global?.config).toBe(join(folder, 'firn.yaml'));
});
