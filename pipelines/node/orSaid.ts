import { type Asking, FirnError } from '../../src/index.ts';

/** What came of a question: its answer, or the error in place of one. */
export function* orSaid<T>(asking: Asking<T>): Asking<T | FirnError> {
  try {
    return yield* asking;
  } catch (error) {
    if (!(error instanceof FirnError) || error.code === 'interrupted') throw error;
    return error;
  }
}
