import { type FirnError, hasCode } from '../../core/firnError.ts';
import type { Stage } from '../contract.ts';

/** What a stage refused a file with because of its settings; empty as long as it takes and gives files. */
export interface Refusal {
  error?: FirnError;
}

/**
 * A stage that notes where it refuses the key, or is no more. No later try helps, as the worker has no other one, and each reads anew what its source
 * counts as used.
 */
export function noteRefusal(stage: Stage, refusal: Refusal): Stage {
  const noted =
    <Given extends unknown[], T>(work: (...given: Given) => Promise<T>) =>
    (...given: Given): Promise<T> =>
      work(...given).catch((error: unknown) => {
        if (hasCode(error, 'unauthorized', 'config')) refusal.error = error;
        throw error;
      });
  // What a list or snapshot compares with is fetched before anything is written: where nothing changes, nothing is.
  return { ...stage, write: noted(stage.write), fetch: noted(stage.fetch) };
}
