import { type FirnError, hasCode } from '../../core/firnError.ts';
import type { Stage } from '../contract.ts';

/** What a stage refused a file with because of its settings; empty as long as it takes files. */
export interface Refusal {
  error?: FirnError;
}

/**
 * A stage that notes where it refuses the key, or is no more. No later try helps, as the worker has no other one, and each reads anew what its source
 * counts as used.
 */
export const noteRefusal = (stage: Stage, refusal: Refusal): Stage => ({
  ...stage,
  async write(...file) {
    try {
      return await stage.write(...file);
    } catch (error) {
      if (hasCode(error, 'unauthorized', 'config')) refusal.error = error;
      throw error;
    }
  },
});
