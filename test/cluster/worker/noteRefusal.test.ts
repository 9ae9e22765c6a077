import { expect, test } from 'vitest';
import type { Stage } from '../../../src/cluster/contract.ts';
import { noteRefusal, type Refusal } from '../../../src/cluster/worker/noteRefusal.ts';
import { FirnError } from '../../../src/core/firnError.ts';

test.each([
  ['unauthorized', true],
  ['config', true],
  ['unavailable', false],
  ['contract', false],
] as const)(
  'whether a stage that gives or takes no file, as %s, has refused the key, or is no more: %s',
  async (code, isNoted) => {
    const error = new FirnError(code, 'not that one');
    const fails = () => Promise.reject(error);
    for (const act of [
      (stage: Stage) => stage.write('raw.x', 1, '/file', 1),
      (stage: Stage) => stage.fetch({ uri: 's3://x' }, '/file'),
    ]) {
      const refusal: Refusal = {};
      await expect(act(noteRefusal({ write: fails, fetch: fails } as Partial<Stage> as Stage, refusal))).rejects.toBe(
        error,
      );
      expect(refusal.error).toBe(isNoted ? error : undefined);
    }
  },
);
