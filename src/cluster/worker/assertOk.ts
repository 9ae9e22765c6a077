import { FirnError } from '../../core/firnError.ts';
import type { Lease } from '../contract.ts';

/** @throws FirnError `locked` where the ledger refused what the holder of a lease sent: it is another worker's, or the cursor moved */
export function assertOk(said: 'ok' | 'fenced', { stream, partition }: Lease): void {
  if (said === 'ok') return;
  throw new FirnError(
    'locked',
    `The lease of ${stream} (${partition}) ran out and another worker has it, or read on. Nothing of what this one sent was committed.`,
    { retryable: true },
  );
}
