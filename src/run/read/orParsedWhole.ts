import { FirnError } from '../../core/firnError.ts';
import type { Request } from '../../core/request.ts';

/**
 * Makes rows of an answer. Where one of its records that came unparsed is no JSON, the answer is asked for again and parsed whole: the
 * client then sees it too, and asks as often as its policy says.
 *
 * @param parse leaves nothing behind where it throws
 * @param again asks once more with requests as they are made by what it is given
 */
export async function orParsedWhole<Answer, T>(
  answer: Answer,
  parse: (answer: Answer) => T | Promise<T>,
  again: (made: (request: Request) => Request) => Promise<Answer>,
): Promise<T> {
  try {
    return await parse(answer);
  } catch (error) {
    if (!(error instanceof FirnError) || error.code !== 'contract') throw error;
    return parse(await again((request) => ({ ...request, raw: undefined })));
  }
}
