import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { temporary } from './temporaryFolders.ts';

beforeEach(async () => {
  vi.stubEnv('TMPDIR', await temporary());
  vi.stubEnv('VITEST_MODE', 'RUN');
  onTestFinished(() => {
    vi.unstubAllEnvs();
    // Files that come later share the modules, and are not to look into a folder that is gone.
    vi.resetModules();
  });
});

/** As other workers have it: none knows what another one has made. */
async function workers() {
  const all = [];
  for (let count = 0; count < 3; count++) {
    vi.resetModules();
    all.push((await import('./folderMadeOnce.ts')).folderMadeOnce);
  }
  return all;
}

test('workers share what the first of them makes', async () => {
  const fill = vi.fn((folder: string) => writeFile(join(folder, 'file'), ''));
  const made = (await workers()).map((once) => once('files', fill));
  expect(new Set(await Promise.all(made)).size).toBe(1);
  expect(fill).toHaveBeenCalledOnce();
});

test('what goes wrong is told to all', async () => {
  const fill = vi.fn(() => Promise.reject(new Error('no room')));
  const made = (await workers()).map((once) => once('files', fill).catch(String));
  expect(await Promise.all(made)).toEqual(made.map(() => expect.stringContaining('no room')));
  expect(fill).toHaveBeenCalledOnce();
});

test('nobody waits for a process that was killed', async () => {
  const fill = async () => {};
  const [first, second] = await workers();
  const folder = (await first?.('files', fill)) ?? '';
  for (const beside of ['.maker', '.outcome']) await rm(folder + beside);
  // Beyond the largest number of a process.
  await symlink(JSON.stringify({ pid: 2 ** 22 }), `${folder}.maker`);
  await expect(second?.('files', fill)).rejects.toThrow('Process 4194304 ended before');
});
