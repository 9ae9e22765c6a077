import { FirnError } from '../core/firnError.ts';

/** @throws FirnError `interrupted` once the signal is there */
export function stopIfAborted(signal: AbortSignal | undefined, what: string): void {
  if (!signal?.aborted) return;
  throw new FirnError('interrupted', `${what} was stopped; what is published did not change.`, {
    context: { signal: signal.reason },
  });
}
