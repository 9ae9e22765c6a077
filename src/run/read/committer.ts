import { giveBack } from '../../core/rowSet.ts';
import type { Position, Stream } from '../../core/stream.ts';
import { positionText } from '../../load/checkpoints.ts';
import { prepareBatch, writeBatch } from '../../load/commit.ts';
import { type BatchBuilder, createBatchBuilder } from './batchBuilder.ts';
import type { ReadContext, ReadResult } from './partitionContext.ts';

/** Gathers pages into batches and writes these one after the other while reading goes on. */
export interface Committer {
  /** What gathers. */
  readonly batch: BatchBuilder;
  /**
   * Where the batch is full, makes it ready and begins to write it behind the one that is being written. Waits only for the
   * batch before that: DuckDB writes on a thread of its own.
   *
   * @param to the checkpoint that covers the batch; null leaves it where it was
   * @throws FirnError `rolled_back` where batches were taken back: the read begins again at its durable checkpoint
   */
  commitIfFull(to: Position | null): Promise<void>;
  /** Writes the rest, and waits until all is durable. */
  finish(to: Position | null): Promise<void>;
}

/** A batch that is written; `durable` ends when it is committed. */
interface Written {
  readonly durable?: Promise<void>;
}

/** @param from the checkpoint that the read began from */
export function createCommitter(stream: Stream, context: ReadContext, from: Position | null): Committer {
  const { warehouse, partition, runId, beside } = context;
  let gathering = createBatchBuilder();
  let position = from;
  let before: Promise<Written> = Promise.resolve({});
  let last = before;
  const read = {};
  const makeReady = async (builder: BatchBuilder) => {
    await builder.complete();
    const batch = builder.build();
    return { ready: prepareBatch(stream, partition, batch, beside?.rewrite), sets: batch.sets };
  };
  // Not where the batch is written: what waits there for the commit would keep its rows.
  const told = (durable: Promise<void>, done: ReadResult) => {
    const isTold = durable.then(() => context.committed(done));
    // Where it is taken back, later batches are refused with the same error.
    isTold.catch(() => {});
    return isTold;
  };
  const commit = async (to: Position | null) => {
    const made = makeReady(gathering);
    gathering = createBatchBuilder();
    const requests = context.takeRequests();
    const [begin, end] = [position, to ?? position];
    position = end;
    const [beforeLast, previous] = [before, last];
    before = previous;
    // What fails, made ready or written, keeps all later ones from being written: their checkpoints would skip its rows.
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
      const { value, durable } = await warehouse.write(read, batch.bytes, (tx) => writeBatch(tx, commit));
      giveBack(stream, partition, sets, true);
      const { quarantined, bytes } = batch;
      return {
        durable: told(durable, {
          rows: value.rows,
          childRows: value.childRows,
          quarantined: quarantined.length,
          bytes,
        }),
      };
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
      try {
        if (!gathering.isEmpty() || (to !== null && positionText(to) !== positionText(position))) await commit(to);
        await last;
      } finally {
        // What lies before a batch that failed stays.
        await warehouse.commit();
      }
      await (await last).durable;
    },
  };
}
