import { defineConfig } from 'vitest/config';

// FIRN_KILLS=300 runs the kill test alone, on the whole history: npm run test:kill.
const killing = process.env['FIRN_KILLS'] !== undefined;

export default defineConfig({
  test: {
    include: killing ? ['test/run/kill.test.ts'] : ['test/**/*.test.ts'],
    setupFiles: ['test/setup.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 3,
    pool: 'forks',
    // Files share the modules of their worker: loading them anew for each of 160 files took a sixth of the time.
    isolate: false,
  },
});
