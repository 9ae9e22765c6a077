import { giveBack } from '../core/rowSet.ts';
import type { Position, Stream } from '../core/stream.ts';
import { positionText } from '../load/checkpoints.ts';
import { commitReady, prepareBatch } from '../load/commit.ts';
import { type BatchBuilder, createBatchBuilder } from './batchBuilder.ts';
import type { ReadContext } from './partitionContext.ts';

/** Gathers pages into batches and commits these one after the other while reading goes on. */
export interface Committer {
  /** What gathers. */
  readonly batch: BatchBuilder;
  /**
   * Where the batch is full, makes it ready and begins to commit it behind the one that is being committed. Waits only for the
   * batch before that: a commit ends with the disk, and waiting for it would idle a seventh of a load.
   *
   * @param to the checkpoint that covers the batch; null leaves it where it was
   */
  commitIfFull(to: Position | null): Promise<void>;
  /** Commits the rest, and waits until all is committed. */
  finish(to: Position | null): Promise<void>;
}

/** @param from the checkpoint that the read began from */
export function createCommitter(stream: Stream, context: ReadContext, from: Position | null): Committer {
  const { warehouse, partition, runId, beside } = context;
  let gathering = createBatchBuilder();
  let position = from;
  let before: Promise<void> = Promise.resolve();
  let last = before;
  const makeReady = async (builder: BatchBuilder) => {
    await builder.complete();
    const batch = builder.build();
    return { ready: prepareBatch(stream, partition, batch, beside?.rewrite), sets: batch.sets };
  };
  const commit = async (to: Position | null) => {
    const made = makeReady(gathering);
    gathering = createBatchBuilder();
    const requests = context.takeRequests();
    const [begin, end] = [position, to ?? position];
    position = end;
    const [beforeLast, previous] = [before, last];
    before = previous;
    // What fails, made ready or committed, keeps all later ones from being committed: their checkpoints would skip its rows.
    last = Promise.all([made, previous]).then(async ([{ ready: batch, sets }]) => {
      const commit = {
        stream,
        partition,
        runId,
        batch,
        from: begin,
        to: end,
        requests,
        checkpointKey: beside?.checkpointKey,
      };
      const { rowsWritten } = await commitReady(warehouse, commit);
      giveBack(stream, partition, sets);
      context.committed({ rows: rowsWritten, quarantined: batch.quarantined.length, bytes: batch.bytes });
    });
    // The error is thrown by a later commit or by finish.
    last.catch(() => {});
    await beforeLast;
  };
  return {
    get batch() {
      return gathering;
    },
    async commitIfFull(to) {
      if (gathering.isFull()) await commit(to);
    },
    async finish(to) {
      if (!gathering.isEmpty() || (to !== null && positionText(to) !== positionText(position))) await commit(to);
      await last;
    },
  };
}
