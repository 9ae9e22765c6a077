import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { projectRoot } from '../cli/firnProcess.ts';
import type { Prepared, Proof } from './proof.ts';

const run = promisify(execFile);

export const hostile: Proof = {
  name: 'hostile',
  claim:
    'every stream is sent thousands of answers that were changed at random, and pages made to fill a machine (`test/hostile`): nothing crashes, nothing is lost in silence, memory stays bounded',
  prepare: async (): Promise<Prepared> => ({
    cases: 1,
    async run() {
      const vitest = ['node_modules/vitest/vitest.mjs', 'run', 'test/hostile'];
      await run(process.execPath, vitest, {
        cwd: projectRoot,
        env: { ...process.env, FIRN_HOSTILE: '20' },
        maxBuffer: 2 ** 28,
      });
      return ['20 seeds of every stream'];
    },
  }),
};
