import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { noteDropped, readDropped } from '../../src/load/droppedReads.ts';
import { temporary } from '../temporaryFolders.ts';

test('what was dropped while the clock was ahead does not count as dropped until that time comes', async () => {
  const folder = join(await temporary(), 'warehouse');
  await noteDropped(folder, 'data/chains', ['all']);
  const now = Date.now();
  vi.spyOn(Date, 'now').mockReturnValue(now + 86_400_000);
  onTestFinished(() => void vi.restoreAllMocks());
  await noteDropped(folder, 'data/utxos', ['all']);
  vi.mocked(Date.now).mockReturnValue(now);
  expect([...(await readDropped(folder)).keys()]).toEqual(['data/chains all']);
});
