import { hasCode } from '../../core/firnError.ts';
import type { ParsedPage } from '../../core/parse/parseRecords.ts';
import type { Stream } from '../../core/stream/stream.ts';

/**
 * Puts right the rows of records that are read one by one, where their stream does so.
 *
 * @param mark where the rows begin: all of the page, where it is left out
 * @returns false where they cannot be
 */
export function isAmended(stream: Stream, { set }: ParsedPage, state: unknown, mark?: readonly number[]): boolean {
  if (stream.way !== 'range' || !stream.amend) return true;
  try {
    stream.amend(set, state, mark && ((child) => set.placeIn(mark, child)));
    return true;
  } catch (error) {
    if (!hasCode(error, 'contract')) throw error;
    return false;
  }
}
