import { defineConfig } from 'vitest/config';

// The kill test takes minutes and runs by itself: npm run test:kill.
const killing = process.env['FIRN_KILLS'] !== undefined;

export default defineConfig({
  test: {
    include: killing ? ['test/run/kill.test.ts'] : ['test/**/*.test.ts'],
    exclude: killing ? [] : ['test/run/kill.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 2,
    pool: 'forks',
  },
});
