import { FirnError } from '../firnError.ts';
import type { Request } from '../requests/request.ts';

/**
 * The error of a list that no longer shows the row up to which it was read.
 *
 * @param list a request for it
 * @param cursor the column of the checkpoint
 */
export const endsBelow = ({ path }: Request, cursor: string, checkpoint: number): FirnError =>
  new FirnError(
    'unavailable',
    `${path} ends below ${cursor} ${checkpoint}, up to which it was read before: the service is behind, was rolled back, or another ` +
      'one answers. Nothing was changed. Run again later; if this persists, check the URL of the source; ' +
      'a list that was created anew is read again once its old rows are dropped: "firn state" lists its partitions, "firn state drop" drops them.',
    { retryable: true },
  );
