import type { Row } from '../core/columnType.ts';
import type { ParsedPage } from '../core/parseRecords.ts';
import type { Request } from '../core/request.ts';
import type { Batch, Quarantined, UnknownMember } from '../load/commit.ts';

/** Pages gathered into one commit. A commit costs milliseconds whatever it holds; 10,000 rows make that small. */
export interface BatchBuilder {
  add(page: ParsedPage, records: number, from: { request: Request; bytes: number; fetchedAt: number }): void;
  /** Notes what came of a key that was looked up. */
  noteLookup(key: string, outcome: string): void;
  /** Keeps the batch from being committed until rows of it are complete. */
  waitFor(completion: Promise<void>): void;
  /** Resolves when nothing is waited for any more. */
  complete(): Promise<void>;
  /** Notes positions that the source does not have, both included. */
  noteGap(from: number, to: number): void;
  /** Whether the batch is large enough to commit. */
  isFull(): boolean;
  isEmpty(): boolean;
  build(): Batch;
}

const fullRows = 10_000;
const fullBytes = 64 * 1024 * 1024;

/** An empty batch. */
export function createBatchBuilder(): BatchBuilder {
  const rows: Row[] = [];
  const children: Record<string, Row[]> = {};
  const quarantined: Quarantined[] = [];
  const unknown: UnknownMember[] = [];
  const completions: Promise<void>[] = [];
  const gaps: { from: number; to: number }[] = [];
  const lookups: { key: string; outcome: string }[] = [];
  let total = 0;
  let records = 0;
  let pages = 0;
  let bytes = 0;
  let fetchedAt = 0;
  let first: Request | undefined;
  return {
    add(page, count, { request, ...answer }) {
      first ??= request;
      append(rows, page.rows);
      for (const [name, childRows] of Object.entries(page.children)) {
        children[name] ??= [];
        append(children[name], childRows);
        total += childRows.length;
      }
      append(quarantined, page.quarantined);
      append(unknown, page.unknown);
      total += page.rows.length;
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
    isFull: () => total >= fullRows || bytes >= fullBytes,
    isEmpty: () => pages === 0,
    build: () => ({
      rows,
      children,
      quarantined,
      unknown,
      lookups,
      gaps,
      records,
      pages,
      bytes,
      fetchedAt,
      request: first ? requestText(first) : '',
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
