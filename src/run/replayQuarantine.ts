import type { NetworkFacts } from '../core/network.ts';
import { parseLossless } from '../core/parseLossless.ts';
import { parseRecords } from '../core/parseRecords.ts';
import { partitionKey } from '../core/stream.ts';
import { readCheckpoint } from '../load/checkpoints.ts';
import { commitBatch } from '../load/commit.ts';
import type { Warehouse } from '../load/warehouse.ts';
import { createEnricher } from './enricher.ts';
import type { PlannedStream } from './planStreams.ts';

/** What a replay did with the records of one stream and partition. */
export interface Replayed {
  readonly stream: string;
  readonly partition: string;
  readonly tried: number;
  readonly readable: number;
}

/**
 * Tries quarantined records again with the schemas of this version. Those that can be read now enter their tables; the
 * others stay where they are.
 */
export async function replayQuarantine(
  warehouse: Warehouse,
  planned: readonly PlannedStream[],
  network: NetworkFacts,
  runId: string,
): Promise<Replayed[]> {
  const results: Replayed[] = [];
  const enricher = createEnricher();
  for (const { stream, parameters } of planned) {
    for (const partition of stream.partitions(parameters as never, network)) {
      const key = partitionKey(partition);
      const held = await warehouse.query<{ load_id: bigint; number: number; record: string }>(
        `SELECT load_id, "number", record FROM firn.quarantine
         WHERE stream = $1 AND "partition" = $2 AND replayed_at IS NULL ORDER BY load_id, "number"`,
        [stream.id, key],
      );
      let readable = 0;
      for (const { load_id, number, record } of held) {
        const page = parseRecords(stream, partition, network, [
          parseLossless(record, { numbers: stream.source.numbers }),
        ]);
        if (page.quarantined.length > 0) continue;
        if (stream.enrichment) await enricher.enrich(stream.enrichment, page);
        const position = await readCheckpoint(warehouse, stream.id, key);
        const batch = {
          ...page,
          sets: [page.set],
          records: 1,
          pages: 0,
          bytes: record.length,
          request: `replay of load ${load_id}, record ${number}`,
          fetchedAt: Date.now(),
        };
        await commitBatch(warehouse, { stream, partition, runId, batch, from: position, to: position });
        await warehouse.run(
          'UPDATE firn.quarantine SET replayed_at = now()::TIMESTAMP WHERE load_id = $1 AND "number" = $2',
          [load_id, number],
        );
        readable++;
      }
      if (held.length > 0) results.push({ stream: stream.id, partition: key, tried: held.length, readable });
    }
  }
  await enricher.close();
  return results;
}
