import { defineConfig } from 'vitest/config';

/** What needs a cluster: one is started for all files, and ended after. */
export default defineConfig({
  test: {
    root: new URL('../../..', import.meta.url).pathname,
    include: ['test/cluster/live/**/*.test.ts'],
    setupFiles: ['test/setup.ts'],
    globalSetup: ['test/cluster/live/startOnce.ts', 'test/ownTemporaryFolder.ts'],
    // Beside other work a build on three processes of Java takes many times as long.
    testTimeout: 1_800_000,
    hookTimeout: 900_000,
    // Three processes of Java are enough for two cores.
    fileParallelism: false,
  },
});
