import { FirnError } from '../firnError.ts';

/**
 * The error of a 200 that is not what was asked for: sent again, since a server in trouble may recover.
 *
 * @param shape what it is, in a few words
 */
export function wrongShape(shape: string, wanted: string): FirnError {
  const next = 'What was read before is kept: run again later, and check the URL of this source if this persists.';
  return new FirnError('contract', `the answer holds no ${wanted}; it is ${shape}. ${next}`, {
    retryable: true,
    context: { reason: 'not_what_was_asked_for', acted: true, next },
  });
}

/** The same of JSON that is broken. */
export const brokenJson = (text: string, where: string): FirnError =>
  wrongShape(JSON.stringify(text.slice(0, 80)), `valid JSON in ${where}`);
