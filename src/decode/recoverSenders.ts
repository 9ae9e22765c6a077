import { FirnError } from '../core/firnError.ts';
import { recoverSender } from './recoverSender.ts';

/** Senders of transactions, in order; null where none can be recovered (an unknown type, a signature that is none). */
export function recoverSenders(raws: readonly Uint8Array[]): (string | null)[] {
  return raws.map((raw) => {
    try {
      return recoverSender(raw);
    } catch (error) {
      if (error instanceof FirnError) return null;
      throw error;
    }
  });
}
