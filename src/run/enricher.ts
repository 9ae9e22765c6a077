import { availableParallelism } from 'node:os';
import type { ParsedPage } from '../core/parseRecords.ts';
import type { Enrichment } from '../core/stream.ts';
import { type SenderPool, startSenderPool } from '../decode/senderPool.ts';

/** Fills the columns that streams declare as enrichments, on other threads. */
export interface Enricher {
  enrich(enrichment: Enrichment, page: ParsedPage): Promise<void>;
  /** Ends the threads. */
  close(): Promise<void>;
}

/** Threads are started with the first page that needs them: one core stays with reading. */
export function createEnricher(): Enricher {
  let pool: SenderPool | undefined;
  return {
    async enrich({ child, column, from }, page) {
      const rows = page.set.children[child];
      const [raw, computed] = [rows?.column(from), rows?.column(column)];
      if (!rows || !raw || !computed) return;
      const waiting = Array.from({ length: rows.length }, (_, row) => row).filter((row) => raw.isValid(row));
      if (waiting.length === 0) return;
      pool ??= startSenderPool(Math.min(8, Math.max(1, availableParallelism() - 1)));
      const senders = await pool.recover(waiting.map((row) => rows.value(raw, row) as Uint8Array));
      waiting.forEach((row, i) => {
        rows.set(computed, row, senders[i] ?? null);
      });
    },
    close: async () => pool?.close(),
  };
}
