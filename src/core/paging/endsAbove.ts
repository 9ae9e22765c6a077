import { FirnError } from '../firnError.ts';
import type { Request } from '../requests/request.ts';

/**
 * The error of a list, newest first, that ends before the row down to which it has to be read: what lies between would never be read.
 *
 * @param list a request for it
 * @param cursor the column of the checkpoint
 */
export const endsAbove = ({ path }: Request, cursor: string, checkpoint: number): FirnError =>
  new FirnError(
    'unavailable',
    `${path} ends above ${cursor} ${checkpoint}, up to which it was read before: it leaves out what lies between. ` +
      'What was read is kept, and the next run reads the list again from its newest row. If this persists, report it to the operator of the source; ' +
      'where a service lists its newest rows only, "firn state reset <stream> <partition>" forgets the checkpoint, and the next run begins anew.',
    { retryable: true },
  );
