import { emptyPage, type GatheredPage, type ParsedPage } from '../../core/parseRecords.ts';
import type { Request } from '../../core/request.ts';
import type { RowSet } from '../../core/rowSet.ts';
import type { Declared, Partition } from '../../core/stream.ts';
import type { Batch, MemberExample, Quarantined } from '../../load/commit.ts';

/** Pages gathered into one batch. Writing one costs milliseconds whatever it holds; 8 MB of answers make that small. */
export interface BatchBuilder {
  /** What the rows of small answers gather in: one set of columns for all of them, where a set each would be mostly room. */
  gathering(stream: Declared, partition: Partition): GatheredPage;
  /** Adds a page: what gathers, or one of its own. */
  add(page: ParsedPage, records: number, from: { request: Request; bytes: number; fetchedAt: number }): void;
  /** Notes what came of a key that was looked up. */
  noteLookup(key: string, outcome: string): void;
  /** Keeps the batch from being committed until rows of it are complete. */
  waitFor(completion: Promise<void>): void;
  /** Resolves when nothing is waited for any more. */
  complete(): Promise<void>;
  /** Notes positions that the source does not have, both included. */
  noteGap(from: number, to: number): void;
  /** Whether the batch is large enough to be written, or its first page so old that a kill must not cost it. */
  isFull(): boolean;
  isEmpty(): boolean;
  build(): Batch;
}

const fullBytes = 8e6;
const oldMs = 10_000;

/** An empty batch. */
export function createBatchBuilder(): BatchBuilder {
  const sets = new Set<RowSet>();
  let gathered: GatheredPage | undefined;
  const quarantined: Quarantined[] = [];
  const unknown: MemberExample[] = [];
  const completions: Promise<void>[] = [];
  const gaps: { from: number; to: number }[] = [];
  const lookups: { key: string; outcome: string }[] = [];
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
    noteLookup(key, outcome) {
      lookups.push({ key, outcome });
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
    isFull: () => bytes >= fullBytes || (first !== undefined && performance.now() - first.at >= oldMs),
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
      request: first ? requestText(first.request) : '',
    }),
  };
}

/** push(...items) overflows the stack on long lists. */
function append<T>(to: T[], items: readonly T[]): void {
  for (const item of items) to.push(item);
}

/** A request as the load row tells it: enough to send it again by hand. */
function requestText(request: Request): string {
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
