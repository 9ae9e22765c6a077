import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes longest begins first: a worker that came to it last would be the one that the run waits for. */
const longest = [
  'sim/simulate',
  'pipelines/standard',
  'proof/proofs',
  'cli/demo',
  'sql/audits',
  'cli/json',
  'sql/movingHead',
  'bench/bench',
  'run/heldBack',
  'run/noNews',
  'transform/servedAnomalies',
  'cli/sources',
  'cli/lasting',
  'report/browser',
  'foreign/chainkit',
];
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) =>
      longest.findIndex((name) => moduleId.endsWith(`test/${name}.test.ts`));
    const begin = files.filter((file) => place(file) >= 0).sort((a, b) => place(a) - place(b));
    return [...begin, ...(await super.sort(files.filter((file) => place(file) < 0)))];
  }
}

export default defineConfig({
  // Files of one's own import the package by its name.
  resolve: { alias: { 'firn-etl': fileURLToPath(new URL('src/library/index.ts', import.meta.url)) } },
  test: {
    include: ['{test,devnet/test}/**/*.test.ts'],
    // They need a cluster: npm run test:cluster starts one.
    exclude: ['**/node_modules/**', 'test/cluster/{live,long}/**'],
    setupFiles: ['test/setup.ts'],
    globalSetup: ['test/ownTemporaryFolder.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 3,
    // `npm test` leaves them out.
    tags: [{ name: 'long', description: 'takes half a second or more: npm run test:long' }],
    // As the command line does (src/cli/main.ts): what V8 11 optimises in a run of minutes hardly pays.
    execArgv: process.versions.v8.startsWith('11.') ? ['--interrupt-budget=400000'] : [],
    sequence: { sequencer: LongestFirst },
    pool: 'forks',
    // Files share the modules of their worker: loading them anew for each of 160 files took a sixth of the time.
    isolate: false,
  },
});
