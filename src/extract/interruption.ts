import { FirnError } from '../core/firnError.ts';

/** The error of an aborted signal: its reason where that is a FirnError (which knows the system's signal), else a plain one. */
export function interruption(signal: AbortSignal): FirnError {
  if (signal.reason instanceof FirnError) return signal.reason;
  return new FirnError(
    'interrupted',
    'Stopped before the answer came. Run it again: what was committed until then stays.',
    {
      cause: signal.reason,
      // The name of the signal decides the exit code.
      ...(typeof signal.reason === 'string' && { context: { signal: signal.reason } }),
    },
  );
}

/** @throws FirnError `interrupted` */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw interruption(signal);
}
