import { FirnError, messageOf } from '../../core/firnError.ts';
import { withPlace } from '../../load/withPlace.ts';

/** The outcome of a question: an answer, or why there is none. */
export type Attempted<T> =
  | { readonly value: T; readonly error?: undefined }
  | { readonly error: FirnError; readonly value?: undefined };

/**
 * Asks without ever failing: what cannot be understood is a failed question too.
 *
 * @throws FirnError `interrupted` alone
 */
export async function attempt<T>(asking: () => Promise<T>): Promise<Attempted<T>> {
  try {
    return { value: await asking() };
  } catch (thrown) {
    const error = withPlace(thrown);
    if (!(error instanceof FirnError))
      return {
        error: new FirnError('contract', `The answer cannot be understood: ${messageOf(error)}.`, { cause: error }),
      };
    if (error.code === 'interrupted') throw error;
    return { error };
  }
}
