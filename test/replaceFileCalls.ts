import { onTestFinished, vi } from 'vitest';

type Calls = typeof import('node:fs/promises');

/**
 * Has modules that are imported from now on call others in the place of some of `node:fs/promises`, until the test ends. Other files of the same
 * worker may have loaded them: they are loaded again.
 *
 * @param replaced gives them, by the real ones
 */
export function replaceFileCalls(replaced: (real: Calls) => object): void {
  vi.resetModules();
  vi.doMock('node:fs/promises', async (original) => {
    const real = await original<Calls>();
    return { ...real, ...replaced(real) };
  });
  onTestFinished(() => {
    vi.doUnmock('node:fs/promises');
    vi.resetModules();
  });
}
