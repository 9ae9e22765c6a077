import { setMaxListeners } from 'node:events';

/** An AbortController that follows other signals until `unlink`. */
export interface LinkedAbort {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
  unlink(): void;
}

/** Unlike `AbortSignal.any`, whose listeners Node keeps for good, leaves nothing behind on signals that live longer. */
export function linkedAbort(...followed: readonly (AbortSignal | undefined)[]): LinkedAbort {
  const controller = new AbortController();
  const links = followed.flatMap((signal) => {
    if (!signal) return [];
    const follow = () => controller.abort(signal.reason);
    // Node takes more than ten for a leak, and says so on stderr: a run may have an RPC, and so a client, for each of many chains.
    setMaxListeners(0, signal);
    if (signal.aborted) follow();
    else signal.addEventListener('abort', follow, { once: true });
    return [() => signal.removeEventListener('abort', follow)];
  });
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    unlink: () => {
      for (const unlink of links) unlink();
    },
  };
}
