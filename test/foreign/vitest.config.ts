import usual from '../../vitest.config.ts';

// What needs the packages of this folder: `npm run test:foreign` installs them.
export default {
  ...usual,
  test: {
    ...usual.test,
    // Whole ledgers are compared, on whatever machine.
    testTimeout: 3_600_000,
    include: ['test/foreign/*.{foreign,test}.ts'],
    setupFiles: ['test/setup.ts', 'test/foreign/tellTally.ts'],
  },
};
