import { emptyPage, type GatheredPage, type ParsedPage } from '../../core/parseRecords.ts';
import type { Request } from '../../core/request.ts';
import { type RowSet, recycleRowSets } from '../../core/rowSet.ts';
import type { Declared, Partition, Position, Stream } from '../../core/stream.ts';
import { positionText } from '../../load/checkpoints.ts';
import {
  type Batch,
  type LookupNote,
  type MemberExample,
  prepareBatch,
  type Quarantined,
  writeBatch,
} from '../../load/commit.ts';
import type { ReadContext, ReadResult } from './partitionContext.ts';

/** Pages gathered into one batch. Writing one costs milliseconds whatever it holds; 8 MB of answers make that small. */
export interface BatchBuilder {
  /** Where the rows of small answers gather: one set of columns for all of them, since a set for each would be mostly empty. */
  gathering(stream: Declared, partition: Partition): GatheredPage;
  /** Adds a page: the gathered one, or one of its own. */
  add(page: ParsedPage, records: number, from: { request: Request; bytes: number; fetchedAt: number }): void;
  /** Notes what came of a key that was looked up. */
  noteLookup(lookup: LookupNote): void;
  /** Keeps the batch from being committed until rows of it are complete. */
  waitFor(completion: Promise<void>): void;
  /** Resolves when all that was waited for is complete. */
  complete(): Promise<void>;
  /** Notes positions that the source does not have, both included. */
  noteGap(from: number, to: number): void;
  /** Whether the batch is large enough to be written, or its first page so old that a kill must not cost it. */
  isFull(): boolean;
  isEmpty(): boolean;
  build(): Batch;
}

const usual = { bytes: 8e6, ms: 10_000 };

/** An empty batch. @param full when it is large enough, or old enough, to be written */
export function createBatchBuilder(full = usual): BatchBuilder {
  const sets = new Set<RowSet>();
  let gathered: GatheredPage | undefined;
  const quarantined: Quarantined[] = [];
  const unknown: MemberExample[] = [];
  const completions: Promise<void>[] = [];
  const gaps: { from: number; to: number }[] = [];
  const lookups: LookupNote[] = [];
  let records = 0;
  let pages = 0;
  let bytes = 0;
  let fetchedAt = 0;
  let first: { readonly request: Request; readonly at: number } | undefined;
  return {
    gathering(stream, partition) {
      gathered ??= { ...emptyPage(stream, partition), marks: [] };
      return gathered;
    },
    add(page, count, { request, ...answer }) {
      first ??= { request, at: performance.now() };
      if (page.set.length > 0) sets.add(page.set);
      append(quarantined, page.quarantined.splice(0));
      append(unknown, page.unknown.splice(0));
      records += count;
      pages++;
      bytes += answer.bytes;
      fetchedAt = Math.max(fetchedAt, answer.fetchedAt);
    },
    noteLookup(lookup) {
      lookups.push(lookup);
    },
    waitFor(completion) {
      // The error is thrown by complete(); until then it must not count as unhandled.
      completion.catch(() => {});
      completions.push(completion);
    },
    async complete() {
      await Promise.all(completions);
    },
    noteGap(from, to) {
      gaps.push({ from, to });
    },
    isFull: () => bytes >= full.bytes || (first !== undefined && performance.now() - first.at >= full.ms),
    isEmpty: () => pages === 0,
    build: () => ({
      sets: [...sets],
      quarantined,
      unknown,
      lookups,
      gaps,
      records,
      pages,
      bytes,
      fetchedAt,
      request: first ? requestLine(first.request) : '',
    }),
  };
}

/** push(...items) overflows the stack on long lists. */
function append<T>(to: T[], items: readonly T[]): void {
  for (const item of items) to.push(item);
}

/** A request as the load row shows it: enough to send it again by hand. */
function requestLine(request: Request): string {
  const [call] = request.kind === 'rpcMany' ? request.calls : request.kind === 'rpc' ? [request.call] : [];
  if (call) {
    const more = request.kind === 'rpcMany' ? ` (first of ${request.calls.length})` : '';
    return `POST ${request.path} ${call.method} ${JSON.stringify(call.params)}${more}`;
  }
  if (!('query' in request) && !('weight' in request)) return request.path;
  const query = Object.entries(request.query ?? {}).filter(([, value]) => value !== undefined);
  const text = query
    .flatMap(([name, value]) =>
      [value].flat().map((item) => `${name}=${encodeURIComponent(String(item).toWellFormed())}`),
    )
    .join('&');
  return `${request.kind.toUpperCase()} ${request.path}${text ? `?${text}` : ''}`;
}

/** Gathers pages into batches and writes these one after the other while reading goes on. */
export interface Committer {
  /** The batch that gathers. */
  readonly batch: BatchBuilder;
  /**
   * Where the batch is full, begins to write it, once the one before it is written: DuckDB writes on a thread of its own while the next
   * one gathers. More of them at a time only wait, in 70 MiB more where four partitions are read and DuckDB writes its tables out.
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
  let gathering = createBatchBuilder(warehouse.gathers);
  let position = from;
  let last: Promise<Written> = Promise.resolve({});
  const read = {};
  const makeReady = async (builder: BatchBuilder) => {
    await builder.complete();
    const batch = builder.build();
    return { ready: prepareBatch(stream, partition, batch, beside?.rewrite), sets: batch.sets };
  };
  // A function of its own, since a closure inside the write would keep the batch's rows until the commit.
  const told = (durable: Promise<void>, done: ReadResult) => {
    const isTold = durable.then(() => context.committed(done));
    // Where the batch is taken back, later ones are refused with the same error.
    isTold.catch(() => {});
    return isTold;
  };
  const commit = async (to: Position | null) => {
    const made = makeReady(gathering);
    gathering = createBatchBuilder(warehouse.gathers);
    const requests = context.takeRequests();
    const [begin, end] = [position, to ?? position];
    position = end;
    const previous = last;
    // A batch that fails keeps all later ones from being written: their checkpoints would skip its rows.
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
      recycleRowSets(stream, sets, true);
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
    await previous;
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
        // Batches before the one that failed stay.
        await warehouse.commit();
      }
      await (await last).durable;
    },
  };
}
