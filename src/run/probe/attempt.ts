import { FirnError } from '../../core/firnError.ts';

/** The outcome of a question: an answer, or why there is none. */
export type Attempted<T> = { readonly value: T } | { readonly error: FirnError };

/**
 * Asks without ever failing: what cannot be understood is a failed question too.
 *
 * @throws FirnError `interrupted` alone
 */
export async function attempt<T>(asking: () => Promise<T>): Promise<Attempted<T>> {
  try {
    return { value: await asking() };
  } catch (error) {
    if (!(error instanceof FirnError)) {
      const said = error instanceof Error ? error.message : String(error);
      return { error: new FirnError('contract', `The answer cannot be understood: ${said}.`, { cause: error }) };
    }
    if (error.code === 'interrupted') throw error;
    return { error };
  }
}
