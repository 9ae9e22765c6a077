import { type ErrorCode, FirnError } from '../../core/firnError.ts';

/** What ends a read whatever was asked for. */
const ending: readonly ErrorCode[] = ['interrupted', 'unauthorized', 'rate_limited', 'disk'];

/** What asking once more gives; undefined where the source does not give it. What would end any read ends this one too. */
export async function orNothing<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof FirnError && !ending.includes(error.code)) return undefined;
    throw error;
  }
}
