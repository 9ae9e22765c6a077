import live from '../live/vitest.config.ts';

/** What takes too long for every run: `npm run test:cluster:long`. */
export default { test: { ...live.test, include: ['test/cluster/long/**/*.test.ts'], testTimeout: 4 * 3_600_000 } };
