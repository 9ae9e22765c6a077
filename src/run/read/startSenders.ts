import { secp256k1 } from '../../decode/secp256k1.ts';
import { type SenderPool, startSenderPool } from '../../decode/senderPool.ts';
import type { Log } from '../../extract/http.ts';

/** Starts threads that recover senders, at most 8, and says on the log where they will be slow. */
export function startSenders(threads: number, log: Log | undefined): SenderPool {
  if (secp256k1.slow) log?.warn({}, secp256k1.slow);
  return startSenderPool(Math.min(8, Math.max(1, threads)));
}
