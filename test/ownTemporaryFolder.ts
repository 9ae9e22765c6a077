import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Gives the run a folder of its own for temporary files, which is gone after it: a worker that vitest ends removes nothing. */
export default async function ownTemporaryFolder(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'firn-tests-'));
  // PostgreSQL, which refuses to be root's, comes through as another account.
  await chmod(folder, 0o711);
  process.env['TMPDIR'] = folder;
  return () => rm(folder, { recursive: true, force: true });
}
