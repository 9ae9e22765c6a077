import type { Lease, Ledger } from '../contract.ts';

/**
 * Renews a lease three times in its length while work lasts.
 *
 * @param work is given a signal that is raised once the lease is another's
 */
export async function keepLease<T>(
  ledger: Ledger,
  lease: Lease,
  ms: number,
  work: (fence: AbortSignal) => Promise<T>,
): Promise<T> {
  const fence = new AbortController();
  const renewing = setInterval(() => {
    ledger.renew(lease, ms).then(
      (said) => said === 'fenced' && fence.abort(),
      // If the lease runs out meanwhile, the commit says so.
      () => {},
    );
  }, ms / 3);
  try {
    return await work(fence.signal);
  } finally {
    clearInterval(renewing);
  }
}
