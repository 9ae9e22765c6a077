import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import { text } from 'node:stream/consumers';
import { packageRoot } from '../../src/load/packageFiles.ts';
import type { Prepared, Proof } from './proof.ts';

const seeds = 20;

/** What of vitest's report is read. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

export const hostile: Proof = {
  name: 'hostile',
  claim: `every stream is sent ${seeds} seeds of answers that were changed at random; odd texts, names in a browser, downloads by every notation of an address, folders, races (\`test/hostile\`): nothing crashes, nothing is lost in silence, nothing acts`,
  prepare: async (): Promise<Prepared> => ({
    cases: 1,
    async run() {
      const child = spawn(
        process.execPath,
        ['node_modules/vitest/vitest.mjs', 'run', '--reporter=json', 'test/hostile'],
        {
          cwd: packageRoot(),
          env: { ...process.env, FIRN_HOSTILE: String(seeds) },
          stdio: ['ignore', 'pipe', 'ignore'],
        },
      );
      const [printed] = await Promise.all([text(child.stdout), once(child, 'close')]);
      const { testResults } = JSON.parse(printed.slice(printed.indexOf('{"'))) as Report;
      const tests = testResults.flatMap(({ name, assertionResults }) =>
        assertionResults.map((test) => ({ file: basename(name, '.test.ts'), ...test })),
      );
      const failed = tests.filter(({ status }) => status !== 'passed');
      if (failed.length > 0 || tests.length === 0)
        throw new Error(
          failed
            .map(({ file, fullName, failureMessages }) => [`${file}: ${fullName}`, ...failureMessages].join('\n'))
            .join('\n') || 'no test ran',
        );
      return tests.map(({ file }) => file);
    },
  }),
};
