import { parseRecords } from '../core/parseRecords.ts';
import { RowSet } from '../core/rowSet.ts';
import { partitionKey, type SnapshotStream } from '../core/stream.ts';
import { readCheckpoint } from '../load/checkpoints.ts';
import { createSnapshotStage } from '../load/snapshotStage.ts';
import { createBatchBuilder } from './batchBuilder.ts';
import type { ReadContext } from './partitionContext.ts';

/**
 * Reads the whole list and makes it the current one. A read that does not come to its end changes nothing: only a complete
 * one may close rows that are gone.
 */
export async function readSnapshot(stream: SnapshotStream, context: ReadContext): Promise<void> {
  const { partition, warehouse, network, fetch, signal } = context;
  const from = await warehouse.exclusive(() => readCheckpoint(warehouse, stream.id, partitionKey(partition)));
  const stage = await createSnapshotStage(warehouse, stream);
  const sums = createBatchBuilder();
  const emptySet = new RowSet(stream, partition);
  let records = 0;
  try {
    const pages = stream.pages(partition);
    let step = pages.next();
    while (!step.done) {
      if (signal.aborted) return;
      const request = step.value;
      let response: Awaited<ReturnType<typeof fetch>>;
      try {
        response = await fetch(request);
      } catch (error) {
        step = pages.throw(error);
        continue;
      }
      step = pages.next(response);
      const raws = stream.records(response.body, partition);
      const page = parseRecords(stream, partition, network, raws);
      await stage.add(page);
      // The rows are in the stage; the batch carries what the load row tells of them.
      sums.add({ ...page, set: emptySet }, raws.length, { request, ...response });
      records += raws.length;
      context.progress(records, null);
    }
    const batch = sums.build();
    const to = { readAt: batch.fetchedAt };
    const { rowsWritten } = await stage.apply({ stream, partition, runId: context.runId, batch, from, to });
    context.committed({ rows: rowsWritten, quarantined: batch.quarantined.length, bytes: batch.bytes });
  } finally {
    await stage.drop().catch(() => {});
  }
}
