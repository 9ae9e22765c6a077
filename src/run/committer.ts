import type { Position, Stream } from '../core/stream.ts';
import { commitBatch } from '../load/commit.ts';
import type { BatchBuilder } from './batchBuilder.ts';
import type { ReadContext } from './partitionContext.ts';

/** Commits batches one after the other while the next one is fetched; at most one commit is under way. */
export interface Committer {
  /** Waits for the commit under way, then begins this one. */
  commit(batch: BatchBuilder, to: Position | null): Promise<void>;
  /** Waits for the last commit. */
  finish(): Promise<void>;
}

/** @param from the checkpoint that the read began from */
export function createCommitter(stream: Stream, context: ReadContext, from: Position | null): Committer {
  let position = from;
  let running: Promise<void> = Promise.resolve();
  return {
    async commit(builder, to) {
      await running;
      const batch = builder.build();
      const begin = position;
      const end = to ?? position;
      const { partition, runId, beside } = context;
      const commit = { stream, partition, runId, batch, from: begin, to: end, ...beside };
      running = builder
        .complete()
        .then(() => commitBatch(context.warehouse, commit))
        .then(({ rowsWritten }) => {
          position = end;
          context.committed({ rows: rowsWritten, quarantined: batch.quarantined.length, bytes: batch.bytes });
        });
      // The error is thrown by the next commit or by finish.
      running.catch(() => {});
    },
    finish: () => running,
  };
}
