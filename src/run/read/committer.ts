import { emptyGatheredPage, type GatheredPage, type ParsedPage } from '../../core/parse/parseRecords.ts';
import { type RowSet, recycleRowSets } from '../../core/parse/rowSet.ts';
import type { Request } from '../../core/requests/request.ts';
import type { Partition, Position } from '../../core/stream/partition.ts';
import type { Declared, Stream } from '../../core/stream/stream.ts';
import type { Batch, Commit, LookupNote, MemberExample, Quarantined } from '../../load/commit/batch.ts';
import { positionText } from '../../load/commit/checkpoints.ts';
import { prepareBatch, type ReadyBatch, writeBatch } from '../../load/commit/commit.ts';
import type { Withdrawn } from '../../load/commit/writeRows.ts';
import type { ReadContext, ReadResult } from './partitionContext.ts';

interface PageFacts extends Pick<Batch, 'bytes' | 'fetchedAt' | 'holdsFrom'> {
  readonly request: Request;
}

/** Pages gathered into one batch. Writing one costs milliseconds whatever it holds; 8 MB of answers make that small. */
export interface BatchBuilder {
  /** Where the rows of small answers gather: one set of columns for all of them, since a set for each would be mostly empty. */
  gathering(stream: Declared, partition: Partition): GatheredPage;
  /** Adds a page: the gathered one, or one of its own. */
  add(page: ParsedPage, records: number, from: PageFacts): void;
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
  let holdsFrom: number | undefined;
  let first: { readonly request: Request; readonly at: number } | undefined;
  return {
    gathering(stream, partition) {
      gathered ??= emptyGatheredPage(stream, partition);
      return gathered;
    },
    add(page, count, { request, ...answer }) {
      first ??= { request, at: performance.now() };
      if (page.set.length > 0) sets.add(page.set);
      append(quarantined, page.quarantined.splice(0));
      append(unknown, page.unknown.splice(0));
      records += count;
      holdsFrom = pages === 0 ? answer.holdsFrom : undefined;
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
      holdsFrom,
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
  const query = Object.entries(request.query ?? {}).filter(([, value]) => (value ?? null) !== null);
  const text = query
    .flatMap(([name, value]) =>
      [value].flat().map((item) => `${name}=${encodeURIComponent(String(item).toWellFormed())}`),
    )
    .join('&');
  return `${request.kind.toUpperCase()} ${request.path}${text ? `?${text}` : ''}`;
}

/** A batch that may be written. */
interface Made {
  readonly batch: ReadyBatch;
  readonly sets: readonly RowSet[];
}

/** A batch that is written; `durable` ends when it is committed. */
interface Written {
  readonly durable?: Promise<void>;
}

const withdrawnText = ({ rows, first }: Withdrawn): string =>
  `${rows} ${rows === 1 ? 'value that was served before is' : 'values that were served before are'} missing from an answer that has later ones, from ${first} UTC on. ` +
  'What was served last stays, marked as withdrawn, and counts as not served until it comes again.';

/** Gathers pages into batches and writes these one after the other while reading goes on. */
export class Committer {
  readonly #stream: Stream;
  readonly #context: ReadContext;
  /** The read, as the warehouse tells it from others. */
  readonly #read = {};
  #gathering: BatchBuilder;
  #position: Position | null;
  #last: Promise<Written> = Promise.resolve({});

  /** @param from the checkpoint that the read began from */
  constructor(stream: Stream, context: ReadContext, from: Position | null) {
    this.#stream = stream;
    this.#context = context;
    this.#position = from;
    this.#gathering = createBatchBuilder(context.warehouse.gathers);
  }

  /** The batch that gathers. */
  get batch(): BatchBuilder {
    return this.#gathering;
  }

  /**
   * Where the batch is full, begins to write it, once the one before it is written: DuckDB writes on a thread of its own while the next
   * one gathers. More of them at a time only wait, in 70 MiB more where four partitions are read and DuckDB writes its tables out.
   *
   * @param to the checkpoint that covers the batch; null leaves it where it was
   * @throws FirnError `rolled_back` where batches were taken back: the read begins again at its durable checkpoint
   */
  async commitIfFull(to: Position | null): Promise<void> {
    if (this.#gathering.isFull()) await this.#commit(to);
  }

  /** Writes the rest, and waits until all is durable. */
  async finish(to: Position | null): Promise<void> {
    try {
      const isMoved = to !== null && positionText(to) !== positionText(this.#position);
      if (!this.#gathering.isEmpty() || isMoved) await this.#commit(to);
      await this.#last;
    } finally {
      // Batches before the one that failed stay.
      await this.#context.warehouse.commit();
    }
    await (await this.#last).durable;
  }

  async #commit(to: Position | null): Promise<void> {
    const made = this.#made(this.#gathering);
    this.#gathering = createBatchBuilder(this.#context.warehouse.gathers);
    const span = { from: this.#position, to: to ?? this.#position, requests: this.#context.takeRequests() };
    this.#position = span.to;
    const previous = this.#last;
    // A batch that fails keeps all later ones from being written: their checkpoints would skip its rows.
    this.#last = Promise.all([made, previous]).then(([batch]) => this.#write(batch, span));
    // The error is thrown by a later commit or by finish.
    this.#last.catch(() => {});
    await previous;
  }

  async #made(builder: BatchBuilder): Promise<Made> {
    await builder.complete();
    const batch = builder.build();
    const { partition, beside } = this.#context;
    await this.#context.sameChain?.assert(this.#stream, this.#context, batch.sets);
    return { batch: prepareBatch(this.#stream, partition, batch, beside?.rewrite), sets: batch.sets };
  }

  async #write({ batch, sets }: Made, span: Pick<Commit, 'from' | 'to' | 'requests'>): Promise<Written> {
    const { warehouse, partition, runId, beside, begin } = this.#context;
    const { checkpointKey } = beside ?? {};
    const commit = { stream: this.#stream, partition, runId, batch, ...span, checkpointKey, begin };
    const { value, durable } = await warehouse.write(this.#read, batch.bytes, (tx) => writeBatch(tx, commit));
    recycleRowSets(this.#stream, sets, true);
    const { rows, childRows, kept, withdrawn } = value;
    const { quarantined, bytes } = batch;
    const done = { rows, childRows, quarantined: quarantined.length, bytes };
    return { durable: this.#told(durable, done, kept, withdrawn) };
  }

  /** A function of its own, since a closure inside the write would keep the batch's rows until the commit. */
  #told(durable: Promise<void>, done: ReadResult, kept?: number, withdrawn?: Withdrawn): Promise<void> {
    const told = durable.then(() => {
      this.#context.committed(done, kept);
      if (withdrawn) this.#context.note?.(withdrawnText(withdrawn));
    });
    // Where the batch is taken back, later ones are refused with the same error.
    told.catch(() => {});
    return told;
  }
}
