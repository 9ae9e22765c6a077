import { availableParallelism } from 'node:os';
import type { Log } from '../../core/log.ts';
import type { ParsedPage } from '../../core/parse/parseRecords.ts';
import type { Enrichment } from '../../core/stream/stream.ts';
import { secp256k1 } from './secp256k1.ts';
import { type SenderPool, startSenderPool } from './senderPool.ts';

/** Fills the columns that streams declare as enrichments, on other threads. */
export interface Enricher {
  enrich(enrichment: Enrichment, page: ParsedPage): Promise<void>;
  /** Ends the threads. */
  close(): Promise<void>;
}

/** Threads are started with the first page that needs them: one core is left to reading. */
export function createEnricher(log?: Log): Enricher {
  let pool: SenderPool | undefined;
  return {
    async enrich({ child, column, from }, page) {
      const rows = page.set.children[child];
      const [raw, computed] = [rows?.column(from), rows?.column(column)];
      if (!rows || !raw || !computed) return;
      const waiting = Array.from({ length: rows.length }, (_, row) => row).filter((row) => raw.isValid(row));
      if (waiting.length === 0) return;
      pool ??= startSenders(availableParallelism() - 1, log);
      const senders = await pool.recover(waiting.map((row) => rows.value(raw, row) as Uint8Array));
      waiting.forEach((row, i) => {
        rows.set(computed, row, senders[i] ?? null);
      });
    },
    close: async () => pool?.close(),
  };
}

/** Starts threads that recover senders, at most 8, and says on the log where this machine makes them slow. */
export function startSenders(threads: number, log: Log | undefined): SenderPool {
  const { slow } = secp256k1();
  if (slow) log?.warn({}, slow);
  return startSenderPool(Math.min(8, Math.max(1, threads)));
}
